/**
 * Variables that a command inherits, these and no others: the process that runs an agent holds the keys of model
 * providers, and a repository's scripts have no business with them. This keeps keys out of the environment, of logs and
 * of child processes; it is no barrier against a program of the same user that goes looking (on Linux it can read
 * /proc/PID/environ of its parent).
 */
export const DEFAULT_ENVIRONMENT: readonly string[] = [
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "LANG",
  "LANGUAGE",
  "LC_ALL",
  "LC_CTYPE",
  "TZ",
  "TERM",
  "TMPDIR",
  "TEMP",
  "TMP",
  "XDG_CACHE_HOME",
  "XDG_CONFIG_HOME",
  "XDG_DATA_HOME",
  "XDG_RUNTIME_DIR",
  // What language tools need to find themselves.
  "NVM_DIR",
  "VOLTA_HOME",
  "PNPM_HOME",
  "JAVA_HOME",
  "GOPATH",
  "GOROOT",
  "CARGO_HOME",
  "RUSTUP_HOME",
  "PYENV_ROOT",
  "VIRTUAL_ENV",
  // Windows does not start programs without these.
  "SYSTEMROOT",
  "SYSTEMDRIVE",
  "WINDIR",
  "COMSPEC",
  "PATHEXT",
  "USERPROFILE",
  "APPDATA",
  "LOCALAPPDATA",
  "PROGRAMDATA",
  "PROGRAMFILES",
];

/** The environment of a command: the allowed part of ours, fixed values that keep programs from waiting for a person, and the caller's. */
export const commandEnvironment = (
  source: Readonly<Record<string, string | undefined>>,
  allowed: readonly string[],
  extra: Readonly<Record<string, string | undefined>> = {},
): Record<string, string> => {
  // Names are one whatever their case on Windows, and different elsewhere.
  const key = (name: string): string => (process.platform === "win32" ? name.toUpperCase() : name);
  const names = new Set(allowed.map(key));
  const environment: Record<string, string> = {
    CI: "1",
    NO_COLOR: "1",
    PAGER: "cat",
    GIT_PAGER: "cat",
    GIT_TERMINAL_PROMPT: "0",
  };
  for (const [name, value] of Object.entries(source)) {
    if (value !== undefined && names.has(key(name))) environment[name] = value;
  }
  for (const [name, value] of Object.entries(extra)) {
    if (value === undefined) delete environment[name];
    else environment[name] = value;
  }
  return environment;
};
