import { lstatSync, type Stats } from "node:fs";
import { decidesWhatRuns } from "./decides-what-runs.ts";
import type { GitAnswers } from "./git-settings.ts";
import { createCommandPattern } from "./glob-pattern.ts";
import { isKeptByGit } from "./kept-by-git.ts";
import { programName } from "./launch.ts";
import { mayGiveOption } from "./long-option.ts";
import { mayStartOthers } from "./may-start-others.ts";
import { followAll } from "./path-ends.ts";
import type { PathPart, PolicyCall, PolicyPart, ResolvedPath } from "./policy-parts.ts";
import { pythonModule } from "./python-module.ts";
import { secretRead } from "./secret-places.ts";
import type { ShellWord } from "./shell-word.ts";

/** Words that are almost always commands. */
const unmistakable: ReadonlySet<string> = new Set([
  ...["rm", "rmdir", "shred", "unlink", "dd", "mkfs", "wipefs", "dropdb", "sudo", "doas", "chmod", "chown"],
]);

/** Programs whose arguments are text for people: a message, a description. */
const talking: ReadonlySet<string> = new Set(["git", "gh", "glab", "hg", "svn"]);

/**
 * Commands that `auto` still asks about, by effect: they destroy, leave the machine or let others in, read secrets, change the machine or
 * what other projects run, or speak for the user. docs/permissions.md has the same sentence.
 */
const dangers: Readonly<Record<string, readonly string[]>> = {
  "deletes or destroys data": [
    ...["rm", "rmdir", "shred", "dd", "truncate", "mkfs*", "fdisk", "parted", "wipefs", "dropdb", "unlink"],
  ],
  "acts as another user or changes who may do what": [
    ...["sudo", "doas", "su", "pkexec", "chown", "chmod", "chattr", "passwd", "useradd", "userdel", "usermod"],
  ],
  "changes how the machine runs": [
    ...["mount", "umount", "reboot", "shutdown", "halt", "poweroff", "systemctl", "service", "launchctl"],
    ...["crontab", "at", "batch", "iptables", "nft", "ufw", "sysctl", "modprobe", "insmod"],
    ...["apt", "apt-get", "dnf", "yum", "pacman", "brew", "snap", "apk", "nix-env"],
    ...["chsh", "loginctl", "systemd-run", "update-alternatives", "defaults", "gsettings", "dconf", "xdg-settings"],
  ],
  "changes how programs run outside of the workspace": [
    ...["npm", "pnpm", "yarn", "bun", "pip", "pip3", "conda", "poetry", "composer"].map((name) => `${name} config`),
    ...["npm c", "npm set", "npm link", "npm unlink", "pnpm link", "yarn link", "bun link", "yarn global"],
    ...["go env", "go install", "cargo install", "cargo uninstall", "gem install", "gem uninstall", "gem sources"],
    ...["pipx", "uv tool", "rustup", "corepack", "git maintenance", "git lfs install", "code", "cursor"],
  ],
  "stops processes": ["kill", "killall", "pkill"],
  "talks to other machines": [
    ...["ssh", "scp", "sftp", "rsync", "ftp", "telnet", "nc", "ncat", "netcat", "socat", "curl", "wget"],
    ...["rclone", "s3cmd", "s5cmd", "gsutil", "lftp", "tftp", "mosh", "aria2c", "http", "https", "xh", "smbclient"],
    ...["mail", "mailx", "sendmail", "msmtp", "mutt", "swaks", "git send-email", "git imap-send", "openssl s_client"],
    ...["git svn dcommit", "git p4 submit", "git request-pull", "git archive --r*", "git upload-archive"],
    ...["git send-pack", "git http-push", "git http-fetch", "git remote-*", "git web--browse", "git subtree push"],
  ],
  "lets other machines in": [
    ...[
      "git daemon",
      "git instaweb",
      "git http-backend",
      "git cvsserver",
      "http.server",
      "SimpleHTTPServer",
      "pyftpdlib",
      "pydoc",
      "smtpd",
      "aiosmtpd",
      "deno serve",
    ],
    ...["http-server", "live-server", "serve", "darkhttpd", "httpd", "caddy", "nginx", "php -S"],
    ...["ngrok", "cloudflared", "tailscale", "localtunnel", "lt", "sshd", "vsftpd", "openssl s_server", "ruby -run"],
  ],
  "reads what is secret": [
    ...[
      "git credential",
      "git credential-*",
      "git-credential-*",
      "secret-tool",
      "security",
      "keyring",
      "pass",
      "gopass",
    ],
    ...["gpg", "gpg2", "ssh-add", "ssh-keygen", "op", "bw", "vault", "npm token", "docker-credential-*"],
  ],
  "changes what is published or shared": [
    ...["git push", "npm publish", "npm unpublish", "npm login", "yarn publish", "pnpm publish", "bun publish"],
    ...[
      "npm owner",
      "npm access",
      "npm dist-tag",
      "npm deprecate",
      "npm adduser",
      "npm logout",
      "npm profile",
      "npm team",
    ],
    ...["cargo login", "cargo owner", "cargo yank", "hg push", "svn commit", "svn ci", "jj git push", "git lfs push"],
    ...["gh ssh-key", "gh gpg-key", "gh codespace", "glab api", "glab auth", "glab mr", "glab issue", "glab release"],
    ...["cargo publish", "gem push", "twine upload", "poetry publish"],
    ...["gh api", "gh auth", "gh gist", "gh release", "gh repo", "gh secret", "gh variable", "gh workflow"],
    ...["merge", "create", "comment", "close", "edit", "review", "ready", "reopen"].map((verb) => `gh pr ${verb}`),
    ...["create", "comment", "close", "delete", "edit", "reopen", "transfer"].map((verb) => `gh issue ${verb}`),
  ],
  "can throw away uncommitted work or history": [
    ...["git filter-repo", "git-filter-repo", "git replace", "git submodule deinit", "git lfs prune", "git annex drop"],
    ...["git reset", "git clean", "git restore", "git rm", "git filter-branch"],
    ...["git stash drop", "git stash clear", "git worktree remove", "git checkout-index", "git read-tree"],
    ...["git update-ref", "git reflog expire", "git reflog delete", "git gc", "git prune"],
  ],
  "changes what git runs or whom it talks to": ["git config", "git remote"],
  "controls containers, clusters or clouds": [
    ...["docker", "podman", "kubectl", "helm", "terraform", "pulumi", "aws", "gcloud", "az"],
  ],
};

const patterns = Object.entries(dangers).flatMap(([what, texts]) =>
  texts.map((text) => ({ text, what, pattern: createCommandPattern(text) })),
);

/** Where a call takes effect. */
export interface Place {
  readonly workspace: string;
  /** Git's answers about its repositories. */
  readonly answers: GitAnswers;
}

/**
 * Why one part of a call is dangerous, in words; undefined if it is not.
 *
 * A call is dangerous if it destroys work that cannot be restored, writes outside of the workspace or reads secrets there, changes what
 * runs later, or cannot be analysed. Mode and rules make no difference: such a call must not be granted for the rest of a session.
 */
export function dangerOf(call: PolicyCall, part: PolicyPart, place: Place): string | undefined {
  if (part.kind === "command") return dangerOfCommand(part.words) ?? dangerOfReading(part.words, place.workspace);
  if (part.kind === "opaque") return `Caret cannot tell what the command line does: ${part.what}`;
  if (part.kind === "whole") return undefined;
  if (part.use === "deleted") return dangerOfChange(part, place) ?? dangerOfDeletion(part);
  if (part.use === "mentioned") return undefined;
  const isChanged = part.use !== "named" || call.kind === "edit" || call.kind === "write";
  return isChanged ? dangerOfChange(part, place) : undefined;
}

function dangerOfChange({ path, use }: PathPart, { workspace, answers }: Place): string | undefined {
  const real = followAll(workspace) ?? workspace;
  for (const end of path.ends) {
    if (end.inWorkspace === undefined) return `${shown(path, end)} is not known to be in the workspace`;
    if (decidesWhatRuns(end.absolute, real, answers)) return `${shown(path, end)} decides what is run`;
    // A shell writes into the existing file; our own tools replace it.
    if ((use === "written" || use === "operand") && isSharedFile(end.absolute))
      return `${shown(path, end)} is another file as well (hard link)`;
  }
  return undefined;
}

function isSharedFile(path: string): boolean {
  const stat = statOf(path);
  return stat?.isFile() === true && stat.nlink > 1;
}

function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // below a file, or closed to us: then nothing can be done to it either
  }
}

function dangerOfDeletion({ path, recursive }: PathPart): string | undefined {
  const entry = path.ends[0]?.absolute ?? path.absolute;
  const name = path.inWorkspace ?? path.absolute;
  const stat = statOf(entry);
  if (stat === undefined) return undefined; // there is nothing to delete
  if (stat.isDirectory()) return recursive ? `${name || "the workspace"} is deleted with everything in it` : undefined;
  return isKeptByGit(entry) ? undefined : `${name} is deleted, and git cannot give it back as it is`;
}

/** The name as given and, if different, what it leads to. */
function shown(path: ResolvedPath, end: ResolvedPath): string {
  const name = (path: ResolvedPath): string => path.inWorkspace ?? path.absolute;
  return name(path) === name(end) ? name(path) : `${name(path)} leads to ${name(end)}, which`;
}

function dangerOfReading(words: readonly ShellWord[], workspace: string): string | undefined {
  const read = secretRead(words, workspace);
  return read === undefined ? undefined : `\`${read}\` is outside of the workspace, where secrets are`;
}

/** `npm --global config set` is `npm config set`, `python3 -m pip` is `pip`, and `npx serve` is `serve`. */
function readingsOf(words: readonly ShellWord[]): readonly (readonly ShellWord[])[] {
  const [program, ...others] = words;
  if (program === undefined) return [words];
  const module = pythonModule(words);
  const plain = [program, ...others.filter(({ text }) => !text.startsWith("-"))];
  return [words, plain, ...(module === undefined ? [] : [module]), ...fetchedPrograms(plain, others)];
}

/** `npx x`, `npm exec x`, `pnpm dlx x`, `bun x x`; after `-p package` the program is the next word. */
function fetchedPrograms(plain: readonly ShellWord[], given: readonly ShellWord[]): readonly (readonly ShellWord[])[] {
  const [name, verb] = plain.map(({ text }) => programName(text));
  const isRunner = /^(?:npx|bunx|pnpx|uvx)$/.test(name ?? "");
  const hasVerb = /^(?:npm|pnpm|yarn|bun)$/.test(name ?? "") && /^(?:exec|x|dlx)$/.test(verb ?? "");
  if (!isRunner && !hasVerb) return [];
  const start = isRunner ? 1 : 2;
  const namesPackage = given.some(({ text }) => /^(?:-p|--package|--from|--with)$/.test(text));
  return namesPackage ? [plain.slice(start), plain.slice(start + 1)] : [plain.slice(start)];
}

/** `npm install --global x` and the like change what every other project runs. */
function installsForAll([program, ...others]: readonly ShellWord[]): boolean {
  const isManager = /^(?:npm|pnpm|yarn|bun)$/.test(programName(program?.text ?? ""));
  return isManager && others.some(({ text }) => /^(?:-g|--global|--location=global)$/.test(text));
}

/** Why a command is dangerous, in words; undefined if it is not listed. */
function dangerOfCommand(words: readonly ShellWord[]): string | undefined {
  const readings = readingsOf(words);
  const found = patterns.find(({ pattern }) => readings.some((reading) => pattern.matches(reading) !== "no"));
  if (installsForAll(words)) return `\`${words[0]?.text}\` changes what is installed outside of the workspace`;
  if (found !== undefined) return `\`${found.text}\` ${found.what}`;
  if (discardsChanges(words))
    return `\`git ${words[1]?.text}\` of files or by force can throw away uncommitted work or history`;
  const mentioned = mentionedCommand(words);
  return mentioned === undefined
    ? undefined
    : `\`${words[0]?.text}\` may run \`${mentioned}\`, which is among its arguments`;
}

/**
 * `git checkout .`, `git checkout HEAD a`, `git switch --force b`, `git branch --delete --force b`. A plain change of branch keeps
 * uncommitted work; in a single word, only a file extension distinguishes a file from a branch.
 */
function discardsChanges([program, command, ...others]: readonly ShellWord[]): boolean {
  if (programName(program?.text ?? "") !== "git") return false;
  const texts = others.map(({ text }) => text);
  const has = (pattern: RegExp): boolean => texts.some((text) => pattern.test(text));
  const isGiven = (names: readonly string[]): boolean => texts.some((text) => mayGiveOption(text, names));
  switch (command?.text) {
    case "checkout":
      return (
        isGiven(forcing) ||
        isGiven(["ours", "theirs", "patch", "pathspec-from-file", "pathspec-file-nul"]) ||
        has(/^(-[a-zA-Z]*f|--|-[a-z]*p|\.{1,2}(\/.*)?|:.*)$/) ||
        namesFiles(texts)
      );
    case "switch":
      return isGiven([...forcing, "force-create"]) || has(/^-[^c-]*[fC]/);
    case "branch":
      return isGiven(forcing) || has(/^-[a-zA-Z]*(f$|[DMC])/);
    case "tag":
      return isGiven([...forcing, "delete"]) || has(/^-[a-zA-Z]*[fd]$/);
    default:
      return false;
  }
}

const forcing = ["force", "discard-changes"];

/** After a commit all words are files; a new branch can have a start point. */
function namesFiles(texts: readonly string[]): boolean {
  if (texts.some((text) => /^(-[a-z]*[bB]|--orphan|-t|--track.*)$/.test(text))) return false;
  const operands = texts.filter((text) => !/^-./.test(text));
  return operands.length > 1 || operands.some((text) => /\.[a-z]\w*$/i.test(text));
}

/**
 * A destructive command among the arguments of a program that may start others: `wrapper rm -r src`, `tool --run='rm -r src'`. No list of
 * launchers is complete, and these few are worth a question.
 */
function mentionedCommand(words: readonly ShellWord[]): string | undefined {
  if (talking.has(words[0]?.text ?? "") || !mayStartOthers(words)) return undefined;
  const pieces = words.slice(1).flatMap(({ text }) => text.split(/[^\w./-]+/));
  return pieces.map(programName).find((name) => unmistakable.has(name));
}
