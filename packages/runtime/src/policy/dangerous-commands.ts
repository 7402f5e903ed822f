import { createCommandPattern } from "./command-pattern.ts";
import { programName } from "./launch.ts";
import { mentionedCommand } from "./mentioned-command.ts";
import type { ShellWord } from "./shell-cursor.ts";

/** What `auto` still asks about, by what it does: it destroys, leaves the machine, changes it, or speaks for the user. */
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
  ],
  "stops processes": ["kill", "killall", "pkill"],
  "talks to other machines": [
    ...["ssh", "scp", "sftp", "rsync", "ftp", "telnet", "nc", "ncat", "netcat", "socat", "curl", "wget"],
  ],
  "changes what is published or shared": [
    ...["git push", "npm publish", "npm unpublish", "npm login", "yarn publish", "pnpm publish", "bun publish"],
    ...["cargo publish", "gem push", "twine upload", "poetry publish"],
    ...["gh api", "gh auth", "gh pr merge", "gh release", "gh repo", "gh secret", "gh workflow"],
  ],
  "can throw away uncommitted work or history": [
    ...["git reset", "git clean", "git restore", "git rm", "git filter-branch", "git checkout --", "git checkout -f"],
    ...["git stash drop", "git stash clear", "git branch -D", "git worktree remove"],
  ],
  "changes what git runs or whom it talks to": ["git config", "git remote"],
  "controls containers, clusters or clouds": [
    ...["docker", "podman", "kubectl", "helm", "terraform", "pulumi", "aws", "gcloud", "az"],
  ],
};

const patterns = Object.entries(dangers).flatMap(([what, texts]) =>
  texts.map((text) => ({ text, what, pattern: createCommandPattern(text) })),
);

/** Why a command is dangerous, in words; undefined when it is not on the list. */
export function dangerOfCommand(words: readonly ShellWord[]): string | undefined {
  const found = patterns.find(({ pattern }) => pattern.matches(words) !== "no");
  if (found !== undefined) return `\`${found.text}\` ${found.what}`;
  if (discardsChanges(words)) return "`git checkout` of files or by force can throw away uncommitted work or history";
  const mentioned = mentionedCommand(words);
  return mentioned === undefined
    ? undefined
    : `\`${words[0]?.text}\` may run \`${mentioned}\`, which is among its arguments`;
}

/** `git checkout .`, `git checkout HEAD -- a`, `git switch --force b`; a mere change of branch keeps what is not committed. */
function discardsChanges([program, command, ...others]: readonly ShellWord[]): boolean {
  if (programName(program?.text ?? "") !== "git" || !/^(checkout|switch)$/.test(command?.text ?? "")) return false;
  return others.some(({ text }) =>
    /^(--|--force|--discard-changes|--ours|--theirs|-[a-z]*f|\.{1,2}(\/.*)?|:.*)$/.test(text),
  );
}
