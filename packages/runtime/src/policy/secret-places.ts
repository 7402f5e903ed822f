import type { ShellWord } from "./shell-word.ts";

/** Directories with keys, logins or browser data; projects have no other use for these names. */
const secretDirectories = [
  ...[
    ".ssh",
    ".aws",
    ".azure",
    ".gnupg",
    ".kube",
    ".oci",
    ".password-store",
    ".mozilla",
    ".thunderbird",
    ".terraform.d",
  ],
  ...[".config/gh", ".config/hub", ".config/gcloud", ".config/rclone", ".config/op", ".config/doctl", ".config/git"],
  ...[
    ".config/google-chrome",
    ".config/chromium",
    ".config/BraveSoftware",
    ".config/microsoft-edge",
    ".config/vivaldi",
  ],
  ...[".local/share/keyrings", ".local/share/kwalletd", "Library/Keychains", "Library/Cookies", "Library/Safari"],
  ...["Library/Application Support/Google", "Library/Application Support/Firefox", "Firefox/Profiles"],
  ...["/run/secrets", "/etc/ssl/private", "/etc/sudoers.d"],
];

/** Secret files. A project can have its own, so they count only outside the workspace. */
const secretFiles = [
  ...[".netrc", "_netrc", ".git-credentials", ".pgpass", ".my.cnf", ".npmrc", ".yarnrc", ".yarnrc.yml", ".pypirc"],
  ...[".s3cfg", ".boto", ".vault-token", ".docker/config.json", ".cargo/credentials", ".cargo/credentials.toml"],
  ...[".gem/credentials", ".bash_history", ".zsh_history", ".python_history", ".psql_history", ".node_repl_history"],
  ...[
    ".cursor",
    ".caret",
    ".claude",
    ".codex",
    ".env",
    ".bashrc",
    ".zshrc",
    ".profile",
    "/etc/shadow",
    "/etc/gshadow",
    "/etc/sudoers",
  ],
  ...["environ", "id_rsa", "id_ecdsa", "id_ed25519"],
];

/** Programs that show no file, and those that only change directory. */
const fileless: ReadonlySet<string> = new Set([
  "echo",
  "printf",
  "cd",
  "pushd",
  "test",
  "[",
  "git",
  "gh",
  "ls",
  "du",
  "df",
]);

/** A whole home directory, or the parent of all homes. */
const wholeHome = /^(?:~[\w.-]*\/?|\/(?:home|Users|root)(?:\/[^/]*)?\/?|\/)$/;

const reads = (place: string): ((path: string) => boolean) => {
  const whole = place.startsWith("/") ? place : `/${place}`;
  return (path) => `${path}/`.includes(`${whole}/`);
};
const directories = secretDirectories.map(reads);
const files = secretFiles.map(reads);

/**
 * The first word by which a command would read a secret outside the workspace; undefined if there is none. Like the whole policy, this
 * judges only words: a program can read what they do not say.
 */
export function secretRead([program, ...words]: readonly ShellWord[], workspace: string): string | undefined {
  if (fileless.has(program?.text ?? "")) return undefined;
  return words.find((word) => pathsOf(word).some((path) => isSecret(path, word, workspace)))?.text;
}

/** `--file=~/.netrc`, `user@host:.ssh`, `@/etc/shadow`: a path can be part of a word. */
function pathsOf({ text, fixed }: ShellWord): readonly string[] {
  const parts = [text, ...text.split(/[=@:,]/)].filter((part) => part !== "");
  // A prefix computed by the shell is usually a home: `$HOME/.netrc`.
  return fixed ? parts : parts.map((part) => (part.startsWith("/") ? `~${part}` : part));
}

function isSecret(path: string, { spread, fixed }: ShellWord, workspace: string): boolean {
  const plain = path.replaceAll(/\/(?:\.?\/)+/g, "/");
  if (plain === workspace || plain.startsWith(`${workspace}/`)) return false;
  const rooted = `/${plain}`;
  if (directories.some((isIn) => isIn(rooted))) return true;
  const isElsewhere = /^(?:[~/]|\.\.(?:\/|$))/.test(plain);
  if (!isElsewhere) return false;
  // A pattern in a home can match any of these.
  const isPattern = spread && /^~|^\/(?:home|Users|root)\//.test(plain);
  return isPattern || files.some((isOne) => isOne(rooted)) || (fixed && wholeHome.test(plain));
}
