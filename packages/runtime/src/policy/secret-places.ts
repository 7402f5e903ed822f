import type { ShellWord } from "./shell-word.ts";

/** Directories that hold keys, sign-ins or what a browser remembers: nobody has one in a project for anything else. */
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

/** Files of that kind. A project may have one of its own, so they count where they are somewhere else. */
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

/** Programs that show no file, and those that only go there. */
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

/** A home as a whole, or what holds all of them. */
const wholeHome = /^(?:~[\w.-]*\/?|\/(?:home|Users|root)(?:\/[^/]*)?\/?|\/)$/;

const reads = (place: string): ((path: string) => boolean) => {
  const whole = place.startsWith("/") ? place : `/${place}`;
  return (path) => `${path}/`.includes(`${whole}/`);
};
const directories = secretDirectories.map(reads);
const files = secretFiles.map(reads);

/**
 * The first word by which a command would read what is secret outside of the workspace; undefined when there is none. Judged by the words,
 * as all of the policy: a program reads what its words do not say.
 */
export function secretRead([program, ...words]: readonly ShellWord[], workspace: string): string | undefined {
  if (fileless.has(program?.text ?? "")) return undefined;
  return words.find((word) => pathsOf(word).some((path) => isSecret(path, word, workspace)))?.text;
}

/** `--file=~/.netrc`, `user@host:.ssh`, `@/etc/shadow`: a path may be a part of a word. */
function pathsOf({ text, fixed }: ShellWord): readonly string[] {
  const parts = [text, ...text.split(/[=@:,]/)].filter((part) => part !== "");
  // What the shell puts in front is most often a home: `$HOME/.netrc`.
  return fixed ? parts : parts.map((part) => (part.startsWith("/") ? `~${part}` : part));
}

function isSecret(path: string, { spread, fixed }: ShellWord, workspace: string): boolean {
  const plain = path.replaceAll(/\/(?:\.?\/)+/g, "/");
  if (plain === workspace || plain.startsWith(`${workspace}/`)) return false;
  const rooted = `/${plain}`;
  if (directories.some((isIn) => isIn(rooted))) return true;
  const isElsewhere = /^(?:[~/]|\.\.(?:\/|$))/.test(plain);
  if (!isElsewhere) return false;
  // A pattern at home may mean any of these.
  const isPattern = spread && /^~|^\/(?:home|Users|root)\//.test(plain);
  return isPattern || files.some((isOne) => isOne(rooted)) || (fixed && wholeHome.test(plain));
}
