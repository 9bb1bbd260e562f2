import { ANY, CLASS, hasGlob, isKnown, STAR, UNKNOWN } from "./field.js";

/** The places that a verdict depends on. */
export interface Places {
  readonly workspace: string;
  readonly home: string;
}

/** A path in its one form, or undefined when it is not known where it begins. */
export const absolute = (field: string, cwd: string | undefined): string | undefined => {
  if (!field.startsWith("/")) {
    if (cwd === undefined || field.startsWith(UNKNOWN)) return undefined;
    return normalise(`${cwd}/${field}`);
  }
  return normalise(field);
};

const normalise = (path: string): string => {
  const names: string[] = [];
  for (const name of path.split("/")) {
    if (name === "" || name === ".") continue;
    if (name === "..") names.pop();
    else names.push(name);
  }
  return `/${names.join("/")}`;
};

export const isBelow = (path: string, directory: string): boolean =>
  directory === "/" ? true : path === directory || path.startsWith(`${directory}/`);

const ROOTS = new Set(
  (
    "/ /bin /boot /dev /etc /home /media /mnt /opt /proc /root /run /sbin /srv /sys /usr /usr/bin /usr/sbin /var /var/lib " +
    "/lib /lib32 /lib64 /libx32 /usr/lib /usr/lib32 /usr/lib64 /usr/libx32 /Users /System /Library /Applications"
  ).split(" "),
);

const isRoot = (path: string, { home }: Places): boolean =>
  ROOTS.has(path) || path === home || /^\/(?:home|Users)\/[^/]+$/.test(path) || /^\/mnt\/[a-z]$/.test(path);

/** A glob for the name that could be any name: `*`, `.*`, `?*`, `*.*`. */
const isEverything = (name: string): boolean =>
  name.includes(STAR) &&
  [...name].every((char) => char === STAR || char === "." || char === ANY || char === "!");

/** True for the root set of the policy, and for what stands directly in one of it when all of it is meant. */
export const hitsRootSet = (path: string, places: Places): boolean => {
  if (isRoot(path, places)) return true;
  const at = path.lastIndexOf("/");
  const [parent, name] = [path.slice(0, at) || "/", path.slice(at + 1)];
  if (isEverything(name) && isRoot(parent, places)) return true;
  // A glob that could name one of them: /ho*, /[a-z]*.
  return hasGlob(name) && parent === "/" && name.includes(STAR);
};

const BUILD_NAMES = new Set([
  "node_modules",
  "dist",
  "build",
  "target",
  ".next",
  "coverage",
  "__pycache__",
  ".cache",
]);

/** What a build makes again: one of the well-known folders inside the workspace, or something below it. */
export const isBuildOutput = (path: string, { workspace }: Places): boolean => {
  if (!isKnown(path) || !isBelow(path, workspace) || path === workspace) return false;
  const names = path.slice(workspace.length + 1).split("/");
  // A glob may stand before the name or below it, not in it.
  return names.some((name) => BUILD_NAMES.has(name));
};

const TMP = ["/tmp", "/var/tmp"];

export const isInside = (path: string, { workspace }: Places): boolean =>
  isBelow(path, workspace) ||
  TMP.some((directory) => isBelow(path, directory) && path !== directory) ||
  path === "/tmp";

const HARMLESS_DEVICES = /^\/dev\/(?:null|zero|stdin|stdout|stderr|tty|full|random|urandom|fd\/\d+|fd)$/;

export const isHarmlessDevice = (path: string): boolean => HARMLESS_DEVICES.test(path);

const BLOCK_DEVICE =
  /^\/dev\/(?:sd|hd|vd|xvd|nvme|mmcblk|mapper\/|md|loop|dm-|disk|sr|ram|zram|nbd|rbd|zd|zvol\/|block\/|[a-z]*vg[a-z]*\/)/;

/** A device that a file system or a partition table lies on. */
export const isBlockDevice = (path: string): boolean => BLOCK_DEVICE.test(path);

const VITAL =
  /^\/etc\/(?:passwd-?|shadow-?|group-?|gshadow-?|sudoers(?:\.d(?:\/.*)?)?|fstab)$|^\/boot(?:\/|$)|^\/proc\/sysrq-trigger$|^\/dev\/(?:mem|kmem|port)$/;

/** Files without which the machine does not start or anybody gets in. */
export const isVital = (path: string): boolean => VITAL.test(path);

const SYSTEM_FILE = /^\/(?:usr\/(?:local\/)?)?(?:bin|sbin|lib|lib32|lib64)\/[^/]/;

/** A program or a library of the system. */
export const isSystemFile = (path: string): boolean => SYSTEM_FILE.test(path);

const SAMPLE = /\.(?:example|sample|template|dist|defaults?)$/;

/** A file that holds keys, by its name. */
export const isSecret = (path: string, { home }: Places): boolean => {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (/^\.env(?:\..+)?$/.test(name) || name === ".dev.vars" || name === ".envrc") return !SAMPLE.test(name);
  if (/^\.(?:npmrc|netrc|pypirc|pgpass|git-credentials|htpasswd)$/.test(name))
    return isBelow(path, home) || name !== ".npmrc";
  if (
    /^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$/.test(name) ||
    /\.(?:pem|key|p12|pfx|keystore|jks|kdbx)$/.test(name)
  )
    return true;
  if (
    /^(?:credentials|secrets?)(?:\.(?:json|ya?ml|toml))?$/.test(name) &&
    /\/\.(?:aws|config|gcloud|docker|cargo)\//.test(path)
  )
    return true;
  if (
    [".ssh", ".aws", ".gnupg", ".kube", ".docker/config.json", ".config/gh", ".config/gcloud"].some((part) =>
      isBelow(path, `${home}/${part}`),
    )
  )
    return !/\/(?:known_hosts|config|.*\.pub)$/.test(path) || /\.(?:kube|aws)\//.test(path);
  return /^\/etc\/(?:shadow|gshadow)-?$/.test(path) || /^\/proc\/[^/]+\/environ$/.test(path);
};

/** Git's own files, and the folders in which agents keep what they may do. */
export const isGuarded = (path: string): boolean =>
  /(?:^|\/)\.git(?:\/|$)/i.test(path) ||
  /(?:^|\/)\.(?:claude|fiveseam|codebuddy|gemini|codex|cursor)(?:\/|$)/i.test(path);

/** A glob can stand for names that are guarded, secret or vital: compared without it where that is enough. */
export const withoutGlobs = (path: string): string =>
  path.replaceAll(STAR, "").replaceAll(ANY, "").replaceAll(CLASS, "");
