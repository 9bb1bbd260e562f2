/** What programs make of these shows in how they print, not in what they do. */
const SHOWN = /^(?:LC_[A-Z]+|LANG|TZ|NO_COLOR|TERM|COLUMNS|LINES)$/;
/** What the shell or common programs look at. A variable of the shell is in the environment if one of its name was there. */
const LOOKED_AT =
  /^(?:IFS|ENV|HOME|SHELL|SHELLOPTS|CDPATH|PS[0-4]|VISUAL|BROWSER|DISPLAY|TERMINFO\w*|TERMCAP|FPATH|FCEDIT|FIGNORE|GLOBIGNORE|OPTIND|REPLY_TO|LOCPATH|NLSPATH|HOSTALIASES|MALLOC_\w+|GCONV_PATH|EXECIGNORE|LANGUAGE|PROMPT_\w+|TMPDIR|TMP|TEMP|CC|CXX|LD|AR|AS)$|^(?:BASH|GIT|LD|DYLD|LESS|MAN|MANPATH|XDG|SSH|GPG|GNUPG|DBUS|RIPGREP|GREP|JQ|BAT|FZF|FD|TIME|SORT|TAR|GZIP|XZ|ZSTD|UNZIP|ZIP|PYTHON|PERL|RUBY|GEM|NODE|NPM|npm|YARN|PNPM|JAVA|_JAVA|JDK|MAVEN|GRADLE|GO|CARGO|RUST|DOCKER|KUBE|AWS|POSIXLY|HIST|READLINE|INPUTRC|SYSTEMD|CURL|WGET|OPENSSL|SSL)(?:_|[A-Z]|$)|(?:PATH|PAGER|EDITOR|OPTS?|OPTIONS|CONFIG|PRELOAD|ASKPASS|COMMAND|FLAGS|SHELL|PROXY|_proxy)$/;

/** A variable that nobody but the text itself looks at. */
export const isPlainVariable = (name: string): boolean => SHOWN.test(name) || !LOOKED_AT.test(name);

/** One that may be handed to programs without changing what they do. */
export const isHarmlessVariable = (name: string): boolean => SHOWN.test(name);
