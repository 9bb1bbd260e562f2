import { readingTable } from "../reading.js";

/**
 * The options with which these programs only read. Whatever else they are given, also the beginning of a long option's name, does
 * not count as reading; programs that are not here, or judge their arguments themselves, neither.
 */
export const READING = readingTable(`
cat: free -AbeEnstTuv --show-all --number --number-nonblank --show-ends --show-nonprinting --show-tabs --squeeze-blank
head: free -#qvzn:c: --lines= --bytes= --quiet --silent --verbose --zero-terminated
tail: free -#qvzn:c:fFs: --lines= --bytes= --quiet --silent --verbose --zero-terminated --follow --retry --pid= --sleep-interval=
tac: free -brs: --before --regex --separator=
rev: free -V0
nl: free -b:d:f:h:i:l:n:ps:v:w: --body-numbering= --header-numbering= --footer-numbering= --number-width= --number-format= --number-separator= --starting-line-number=
od: free -A:j:N:t:vw?abcdfilosxS: --address-radix= --skip-bytes= --read-bytes= --format= --output-duplicates --width
hexdump, hd: free -bcCdoxe:f:n:s:v --length= --skip= --no-squeezing --canonical
xxd: -abC:c:Eeg:hil:o:ps:ud max1
strings: free -afn:t:e:w#o --all --print-file-name --bytes= --radix= --encoding=
base64, base32: free -diw: --decode --ignore-garbage --wrap=
md5sum, sha1sum, sha224sum, sha256sum, sha384sum, sha512sum, b2sum: free -bctwzl: --binary --check --tag --text --zero --ignore-missing --quiet --status --strict --warn --length=
shasum: free -a:bctUpqs --algorithm= --binary --check --text --status --quiet --warn
cksum: free -a:cz --algorithm= --check --tag --untagged --raw
sum: free -rs --sysv
cmp: free -bi:ln:s --print-bytes --ignore-initial= --verbose --bytes= --quiet --silent
comm: free -123z --check-order --nocheck-order --output-delimiter= --total --zero-terminated
diff: free -abBcdeEfF:hiI:lL:nNpPqrsS:tTuU:C:vwW:x:X:yZ --unified --context --brief --recursive --side-by-side --ignore-case --ignore-all-space --ignore-space-change --ignore-blank-lines --ignore-trailing-space --ignore-matching-lines= --new-file --text --color --suppress-common-lines --exclude= --label= --width= --minimal --report-identical-files --strip-trailing-cr --ed --normal --from-file= --to-file= --no-dereference --show-c-function --expand-tabs --left-column --speed-large-files
diff3: free -AeEimTxX3aL: --text --merge --show-all
colordiff: -abBcdiNpqrsuU:C:wy --unified --brief --recursive
paste: free -d:sz --delimiters= --serial --zero-terminated
join: free -a:e:i1:2:j:o:t:v:z --ignore-case --header --check-order --nocheck-order --zero-terminated
cut: free -b:c:d:f:nsz --bytes= --characters= --delimiter= --fields= --complement --only-delimited --output-delimiter= --zero-terminated
fold: free -bsw:# --bytes --spaces --width=
fmt: free -cstup:w:g:# --width= --goal= --prefix= --split-only --uniform-spacing --tagged-paragraph --crown-margin
expand, unexpand: free -ait:# --all --initial --tabs= --first-only
column: free -tc:s:o:x:nN:R:T:H:W:E:JO:exLd --table --output-width= --separator= --output-separator= --fillrows --json --table-columns= --table-right= --table-truncate= --table-hide= --table-noheadings
tr: free -cCdst --complement --delete --squeeze-repeats --truncate-set1
wc: free -clmwL --bytes --chars --lines --words --max-line-length --files0-from= --total=
zcat, bzcat, xzcat: free -fqv
csvlook: free -d:q:H --no-header-row --max-rows= --max-columns= --max-column-width=
nm: free -aACDgnprSuvP --demangle --dynamic --extern-only --undefined-only --defined-only --size-sort --print-size --line-numbers
objdump: free -adDfhHj:prRsStTxC --disassemble --disassemble-all --source --syms --section-headers --all-headers --demangle --section= --start-address= --stop-address= --no-show-raw-insn
readelf: free -aehlSsdrnVWx:p: --all --headers --file-header --program-headers --section-headers --sections --symbols --syms --dynamic --relocs --notes --wide --dyn-syms --string-dump= --hex-dump=
pr: free -#aD:dfFh:i?J?l:mn?N:o:rS?s?tTvw:W: --columns= --double-space --header= --length= --merge --omit-header --width=
tsort: free
iconv: -cf:t:lso> --from-code= --to-code= --list --silent --output>
sort: -bcCdfghik:mMnRrst:S:T:uVzo> --key= --field-separator= --reverse --numeric-sort --unique --human-numeric-sort --version-sort --general-numeric-sort --month-sort --random-sort --ignore-case --ignore-leading-blanks --dictionary-order --ignore-nonprinting --zero-terminated --stable --merge --check --buffer-size= --parallel= --files0-from= --debug --batch-size= --sort= --output>
uniq: -cdDf:is:uw:z --count --repeated --all-repeated --skip-fields= --ignore-case --skip-chars= --unique --check-chars= --zero-terminated --group max1
jq: -acCejMnrRsSg --arg= --argjson= --slurpfile= --rawfile= --indent= --tab --raw-output --compact-output --null-input --slurp --sort-keys --exit-status --raw-input --color-output --monochrome-output --join-output --ascii-output --stream --seq --args --jsonargs -f:L: --from-file=
yq: -CeMnPNj --prettyPrint --colors --no-colors --exit-status --null-input --unwrapScalar --no-doc -o: --output-format= --input-format= -p:rcI: --indent= --tojson
grep, egrep, fgrep: free -#acEFGhHIilLnoPqrRsTUvVwxyzZbe:f:m:A:B:C:d:D: --extended-regexp --fixed-strings --basic-regexp --perl-regexp --regexp= --file= --ignore-case --no-ignore-case --invert-match --word-regexp --line-regexp --count --color --colour --files-without-match --files-with-matches --max-count= --only-matching --quiet --silent --no-messages --byte-offset --with-filename --no-filename --label= --line-number --initial-tab --null --after-context= --before-context= --context= --text --binary-files= --exclude= --exclude-from= --exclude-dir= --include= --directories= --recursive --dereference-recursive --line-buffered --null-data
zgrep: -cEFhHilnoqsvwxe:m:A:B:C:
rg: -.#0acFhHiIlLnNoPpqsSUuvwxze:f:g:t:T:m:A:B:C:j:r:M:d:E: --regexp= --file= --glob= --iglob= --type= --type-not= --type-list --max-count= --max-depth= --maxdepth= --after-context= --before-context= --context= --threads= --replace= --max-columns= --max-columns-preview --max-filesize= --sort= --sortr= --files --files-with-matches --files-without-match --count --count-matches --line-number --no-line-number --column --heading --no-heading --with-filename --no-filename --hidden --no-ignore --no-ignore-vcs --no-ignore-parent --no-ignore-dot --no-ignore-global --no-config --ignore-case --smart-case --case-sensitive --fixed-strings --word-regexp --line-regexp --invert-match --only-matching --multiline --multiline-dotall --pcre2 --engine= --json --stats --trim --null --null-data --text --follow --one-file-system --color= --colors= --vimgrep --pretty --passthru --quiet --no-messages --encoding= --ignore-file= --binary --crlf --unrestricted --include-zero --path-separator= --context-separator= --debug
ag: -acDfFGhHilLoQsSuUvwzg:A:B:C:m:W: --ignore= --hidden --nocolor --color --column --count --literal --depth= --nogroup --group --nobreak --noheading --numbers --nonumbers --smart-case --word-regexp --files-with-matches --files-without-matches --max-count= --stats
ack: -cfhHilLnoQrvwxm:A:B:C: --nocolor --color --nogroup --group --column --type= --ignore-dir= --ignore-case --literal --word-regexp --files-with-matches --files-without-matches --max-count=
ls, dir, vdir: free -#aAbBcCdDfFgGhHiklLmnNopqQrRsStTuUvxXZI:w: --all --almost-all --author --escape --block-size= --color --directory --classify --file-type --format= --full-time --group-directories-first --no-group --human-readable --si --hide= --indicator-style= --inode --ignore= --dereference --numeric-uid-gid --literal --hide-control-chars --quote-name --quoting-style= --reverse --recursive --size --sort= --time= --time-style= --width= --context --zero --hyperlink
tree: -adfilxL:P:I:NQpugshDFvtcUrnCASJXo> --dirsfirst --filesfirst --noreport --gitignore --du --prune --matchdirs --ignore-case --filelimit= --charset= --inodes --device --sort= --timefmt= --si --nolinks
stat: free -Lftc: --dereference --file-system --format= --printf= --terse --cached=
file: -bchiIklLNnprsvzZ0em:f:F:P: --brief --checking-printout --exclude= --mime --mime-type --mime-encoding --dereference --no-dereference --separator= --raw --special-files --no-pad --keep-going --print0 --extension --apple
du: free -0aAbBcDd:DhHkLlmPSst:xX:B: --null --all --apparent-size --block-size= --bytes --total --dereference --max-depth= --human-readable --inodes --count-links --separate-dirs --si --summarize --threshold= --time --time-style= --exclude= --exclude-from= --one-file-system
df: free -aBhHiklPTt:vx:B: --all --block-size= --human-readable --si --inodes --local --portability --sync --total --type= --print-type --exclude-type= --output
free: free -bkmghltvws:c: --bytes --kilo --mega --giga --human --lohi --total --wide --seconds= --count= --si
basename: free -as:z --multiple --suffix= --zero
dirname: free -z --zero
realpath: free -eEmLPqsz --canonicalize-existing --canonicalize-missing --logical --physical --quiet --relative-to= --relative-base= --strip --no-symlinks --zero
readlink: free -femnqsvz --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --quiet --silent --verbose --zero
pwd: free -LP --logical --physical
whoami, logname, nproc, true, false, tty, arch, lscpu, lsmem, lspci, lsusb: free --all
id: free -agGnruzZ --group --groups --name --real --user --zero
groups: free
users, who, w: free -abHmqrsTtuwlpdhfiol --count --heading --boot --users
uname: free -asnrvmpio --all --kernel-name --nodename --kernel-release --kernel-version --machine --processor --hardware-platform --operating-system
lsblk: free -abdDefiJlmMnNOpPrsStTx:o:I: --all --bytes --fs --json --list --noheadings --output= --output-all --paths --topology --tree --nodeps
uptime: free -ps --pretty --since
cal, ncal: free -#13bhjmwyA:B:d:H: --one --three --monday --year --week
seq: free -#f:s:w. --format= --separator= --equal-width
sleep: free
which: free -as --all
whereis: free -bmsuBMSfl
type: free -afPpt
jobs: free -lnprs
help: free -dms
locale: free -acmk --all-locales --charmaps --category-name --keyword-name
getconf: free -a
ps: free -AaeFfgHjLlNnoMTuUvwxyZcCdo:p:C:G:t:u:k:q:O: --forest --sort= --no-headers --headers --pid= --ppid= --user= --cols= --columns= --width= --format= --deselect --group= --tty=
pgrep, pidof: free -#acd:fg:G:ilLnoP:qrs:st:u:U:vwxz --list-name --list-full --full --exact --newest --oldest --parent= --count --ignore-case --delimiter= --uid= --euid= --group= --session=
pstree: free -aAcClghHnNpsStTuUVZ --arguments --show-pids --long --numeric-sort
lsof: -abClnNPRtUVwXi?p:u:c:d:s?+: +
ss: -#aeilmnoprsStuwxzHOM --all --numeric --listening --tcp --udp --processes --summary --resolve --extended --no-header
netstat: free -#aAceFgiIlnNoprstuvwWx --all --numeric --listening --tcp --udp --programs --route --interfaces --statistics
vmstat: free -#adfmnsS:tw
iostat: free -cdhkmNpstxyz
factor: free --exponents
numfmt: free -d: --from= --to= --from-unit= --to-unit= --format= --padding= --suffix= --field= --header --grouping --round= --invalid=
yes, expr, ipcs, times, shift, break, continue, caller: free
return, exit: free -1
ulimit: free -aHS
umask: free -pS
dirs: free -clpv
size: free -ABdGotx --format= --totals --common
getent: free -si --service=
namei: free -lmnovx --long --modes --owners
pathchk: free -pP
dmesg: -HkLTtuxew --human --kernel --ctime --notime --userspace --decode --reltime --follow --level= --facility= --color -l:f: max0
last: -#adFiRwxn:
history: -# --
cloc, tokei, scc: --quiet --by-file --json --csv --md --yaml --vcs= --exclude-dir= --include-lang= --git --sort= -s:t:e:
clear: free -x
printenv: free -0 --null
tee: -aip --append --ignore-interrupts max0
date: -d:f:I?Rr:u --date= --file= --iso-8601 --rfc-email --rfc-3339= --reference= --utc --universal --debug
hostname: -fsiIAdyaL --fqdn --long --short --ip-address --all-ip-addresses --domain --all-fqdns max0
unzip: -lvtZpzqjCP:
gzip, gunzip, bzip2, bunzip2, xz, unxz, zstd: -cdfklqtvT: --stdout --to-stdout --decompress --uncompress --list --test --quiet --verbose --keep --force
tar, bsdtar, gtar: -tf:vzjJZaRT:X:C: --list --file= --verbose --gzip --gunzip --bzip2 --xz --zstd --lzma --lzip --auto-compress --wildcards --no-wildcards --exclude= --exclude-from= --strip-components= --directory= --files-from= --full-time --numeric-owner --utc --show-transformed-names --block-number --occurrence --quoting-style=
bc: free -hilqsvw --mathlib --quiet --standard --warn
ts: -irsm
sync: none
journalctl: -aeFfklmnrqxu:n:o:p:b?t:S:U:g: --unit= --lines= --output= --priority= --since= --until= --boot --dmesg --follow --no-pager --reverse --user --system --identifier= --grep= --utc --list-boots --disk-usage --catalog --all --no-hostname --quiet
systemctl: -alqn:o:p:t:H: --all --no-pager --full --user --system --lines= --output= --type= --state= --property= --quiet --plain --no-legend
crontab: -lu:
mount: -lt:v --show-labels
sysctl: -abeNnqr: --all --names --values --pattern= --ignore
ifconfig: -asv
fuser: -almnsuv4 6
killall, pkill, skill: -l --list
apropos, whatis: -a
service: --status-all
time, gtime: first -pvf:o> --portability --verbose --format= --output>
timeout, gtimeout: first -vk:s: --kill-after= --signal= --foreground --preserve-status --verbose
nice: first -#n: --adjustment=
ionice: first -tc:n: --class= --classdata= --ignore
setsid: first -w --wait
stdbuf: first -i:o:e: --input= --output= --error=
unbuffer: first -p
strace: first -fcvtTyqCkrixs:a:S:o> --output>
ltrace: first -fcSo>
exec: first -la:
builtin, chronic: first
watch: first -dgtecbwxn: --interval= --differences --no-title --chgexit --exec --color --beep --errexit --precise
xargs, gxargs: first -0rtxI:n:P:L:d:E:s: --null --no-run-if-empty --verbose --max-args= --max-procs= --delimiter= --max-lines= --exit
python, python2, python3, pypy, pypy3, ipython: -Vh max0
node, nodejs, ruby: -vh max0
perl, npm, php: -v max0
`);

/** They judge each of their arguments, or hand on what the judgement of an inner command is. */
export const JUDGES_ITSELF: ReadonlySet<string> = new Set(
  (
    "find gfind fd fdfind sed gsed git hub ip go env command eval trap kill busybox toybox cross-env cross-env-shell sh bash dash ash " +
    "cd chdir pushd popd set alias unalias export declare typeset readonly local unset shopt let read readarray mapfile wait getopts " +
    "hash enable complete bind test [ printf echo :"
  ).split(" "),
);
