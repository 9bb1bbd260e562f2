import { readingTable } from "../reading.js";

const DIFF =
  "-abC?B?DG:hl:M?NOpPrRsS:tuwWzU: --patch --no-patch --unified= --raw --stat --stat-width= --stat-count= --numstat --shortstat --dirstat --summary --name-only --name-status --color --no-color --color-moved --color-words --word-diff --word-diff-regex= --find-renames --no-renames --find-copies --diff-filter= --pickaxe-all --pickaxe-regex --ignore-space-at-eol --ignore-space-change --ignore-all-space --ignore-blank-lines --ignore-matching-lines= --function-context --inter-hunk-context= --exit-code --quiet --check --full-index --binary --abbrev --no-abbrev --relative --no-relative --no-ext-diff --no-textconv --text --minimal --patience --histogram --diff-algorithm= --src-prefix= --dst-prefix= --no-prefix --cached --staged --merge-base --submodule --ignore-submodules --no-index --output> --compact-summary --patch-with-stat --cc --no-color-moved --ita-invisible-in-index";
const NO_SHORT_O = DIFF.replace("NOp", "Np");
const LOG =
  "-#cgqEiFPn:L: --oneline --pretty --format= --graph --decorate --no-decorate --decorate-refs= --all --branches --tags --remotes --glob= --exclude= --max-count= --skip= --since= --after= --until= --before= --author= --committer= --grep= --all-match --invert-grep --regexp-ignore-case --extended-regexp --fixed-strings --perl-regexp --merges --no-merges --min-parents= --max-parents= --first-parent --reverse --date= --date-order --topo-order --author-date-order --follow --full-history --simplify-merges --simplify-by-decoration --ancestry-path --boundary --left-right --cherry-pick --cherry-mark --cherry --abbrev-commit --no-abbrev-commit --parents --children --source --show-signature --notes --no-notes --walk-reflogs --stdin --relative-date --clear-decorations --mailmap --no-mailmap --use-mailmap --log-size --full-diff --dense --sparse --diff-merges= --remove-empty --no-walk --not --encoding=";

/** The options with which git's subcommands only read. */
export const GIT_READING = readingTable(`
status: -sbuvzu? --short --branch --show-stash --porcelain --long --verbose --untracked-files --ignored --ignore-submodules --column --no-column --ahead-behind --no-ahead-behind --renames --no-renames --find-renames
log, whatchanged: ${NO_SHORT_O} ${LOG}
show: ${NO_SHORT_O} ${LOG}
shortlog: -#nseEcw?n --numbered --summary --email --committer --format= --group= --all --since= --until= --after= --before= --no-merges --author= --max-count=
diff, diff-tree, diff-index, diff-files: ${NO_SHORT_O} -#crtm123 --root --stdin --no-commit-id --pretty --format= --always --base --ours --theirs
range-diff: ${NO_SHORT_O} --no-dual-color --creation-factor= --left-only --right-only --notes --no-notes
blame, annotate: -bcefhklnpstwL:M?C?S: --porcelain --line-porcelain --incremental --root --show-stats --show-name --show-number --show-email --date= --since= --reverse --ignore-rev= --ignore-revs-file= --first-parent --abbrev= --color-lines --color-by-age --encoding=
ls-files: -cdfiklmostuvzx:X: --cached --deleted --modified --others --ignored --stage --unmerged --killed --directory --no-empty-directory --exclude= --exclude-from= --exclude-per-directory= --exclude-standard --error-unmatch --full-name --abbrev --deduplicate --eol --debug --sparse --recurse-submodules --format= --with-tree=
ls-tree: -drtlz --name-only --name-status --object-only --long --full-name --full-tree --abbrev --format=
rev-parse: -q --abbrev-ref --verify --quiet --short --show-toplevel --show-prefix --show-cdup --git-dir --absolute-git-dir --git-common-dir --git-path --is-inside-work-tree --is-inside-git-dir --is-bare-repository --is-shallow-repository --symbolic --symbolic-full-name --all --branches --tags --remotes --sq --revs-only --no-revs --flags --no-flags --default --not --since= --until= --show-superproject-working-tree --show-object-format --path-format= --show-ref-format
rev-list: ${LOG} --count --objects --disk-usage --no-object-names --use-bitmap-index --header --timestamp --quiet --unpacked --in-commit-order
describe: --all --tags --contains --abbrev= --candidates= --exact-match --debug --long --match= --exclude= --always --first-parent --dirty --broken
cat-file: -tsep --batch --batch-check --batch-all-objects --buffer --unordered --allow-unknown-type --follow-symlinks --path= --no-filters
for-each-ref: --count= --sort= --format= --points-at= --merged --no-merged --contains --no-contains --ignore-case --color --exclude= -spt --shell --perl --python --tcl
show-ref: -dhsq --head --heads --branches --tags --dereference --hash --verify --abbrev --quiet --exists
show-branch: -argn --all --remotes --current --topo-order --date-order --sparse --merge-base --independent --no-name --sha1-name --topics --color --no-color --list
merge-base: -a --all --octopus --independent --is-ancestor --fork-point
name-rev: --tags --refs= --exclude= --all --name-only --no-undefined --always --annotate-stdin
grep: -#awWiIhHFEGPlLcnovpqrzsm:e:f:A:B:C: --and --or --not --all-match --untracked --cached --no-exclude-standard --exclude-standard --recurse-submodules --text --ignore-case --word-regexp --invert-match --full-name --extended-regexp --basic-regexp --perl-regexp --fixed-strings --line-number --column --files-with-matches --files-without-match --name-only --null --only-matching --count --color --no-color --break --heading --show-function --function-context --context= --after-context= --before-context= --max-count= --max-depth= --threads= --quiet
count-objects: -vH --verbose --human-readable
check-ignore: -qvznz --quiet --verbose --non-matching --no-index --stdin
check-attr: -az --all --cached --stdin
check-mailmap: --stdin
cherry: -v --abbrev
verify-commit, verify-tag: -v --verbose --raw
var: free
version: --build-options
fsck: -v --full --strict --unreachable --dangling --no-dangling --root --tags --cache --no-reflogs --connectivity-only --verbose --progress --no-progress --name-objects
get-tar-commit-id: free
stripspace: -sc --strip-comments --comment-lines
column: --mode= --width= --indent= --padding= --nl=
reflog: ${NO_SHORT_O} ${LOG}
stash list: ${NO_SHORT_O} ${LOG}
stash show: ${NO_SHORT_O} --include-untracked --only-untracked
branch: -arvvqi --all --remotes --list -l --verbose --show-current --contains --no-contains --merged --no-merged --points-at= --sort= --format= --column --no-column --color --no-color --abbrev= --no-abbrev --ignore-case --quiet
tag: -lin?n --list --contains --no-contains --merged --no-merged --points-at= --sort= --format= --column --no-column --color --no-color --ignore-case
symbolic-ref: -q --quiet --short max1
worktree: -vz --verbose --porcelain
remote: -v --verbose --all --push
config: -lzf: --local --global --system --worktree --get --get-all --get-regexp --get-urlmatch --list --show-origin --show-scope --name-only --null --includes --no-includes --type= --bool --int --path --default= --file= --all --regexp --value= --fixed-value
submodule: -q --quiet --cached --recursive --files
bisect: free
apply: -R3vp:C: --check --stat --numstat --summary --reverse --verbose --recount --unidiff-zero --ignore-space-change --ignore-whitespace --whitespace= --directory= --include= --exclude= --cached --index
notes: --ref=
hash-object: -t: --stdin --stdin-paths --path= --no-filters --literally
`);

/** Settings of one call (`git -c`) that only change how something is printed. */
export const SHOWS =
  /^(?:color\.[\w.-]+|core\.(?:quotepath|abbrev)|log\.(?:date|decorate|abbrevcommit|showsignature|follow)|diff\.(?:renames|renamelimit|noprefix|mnemonicprefix|context|algorithm|colormoved|wordregex)|status\.[\w.-]+|column\.[\w.-]+|advice\.[\w.-]+|blame\.[\w.-]+|i18n\.[\w.-]+|format\.pretty|grep\.(?:linenumber|column|patterntype|fullname))$/i;
