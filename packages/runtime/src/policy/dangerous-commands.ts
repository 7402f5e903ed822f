import { createCommandPattern } from "./command-pattern.ts";
import type { ShellWord } from "./shell-cursor.ts";

/** What `auto` still asks about: it destroys, leaves the machine, changes the machine, or speaks for the user. */
const patterns = [
  ...["rm", "rmdir", "shred", "dd", "truncate", "mkfs*", "fdisk", "parted", "wipefs", "dropdb", "unlink"],
  ...["sudo", "doas", "su", "chown", "chmod", "chattr", "mount", "umount", "passwd", "useradd", "userdel", "usermod"],
  ...["kill", "killall", "pkill", "reboot", "shutdown", "halt", "poweroff", "systemctl", "service", "launchctl"],
  ...["crontab", "at", "batch", "iptables", "nft", "ufw", "sysctl", "modprobe", "insmod"],
  ...["ssh", "scp", "sftp", "rsync", "ftp", "telnet", "nc", "ncat", "netcat", "socat", "curl", "wget"],
  ...["git push", "git reset", "git clean", "git restore", "git rm", "git filter-branch", "git config", "git remote"],
  ...[
    "git checkout --",
    "git checkout -f",
    "git stash drop",
    "git stash clear",
    "git branch -D",
    "git worktree remove",
  ],
  ...["npm publish", "npm unpublish", "npm login", "yarn publish", "pnpm publish", "bun publish", "cargo publish"],
  ...["gem push", "twine upload", "poetry publish", "docker", "podman", "kubectl", "helm", "terraform", "pulumi"],
  ...["aws", "gcloud", "az", "gh api", "gh auth", "gh pr merge", "gh release", "gh repo", "gh secret", "gh workflow"],
  ...["apt", "apt-get", "dnf", "yum", "pacman", "brew", "snap", "apk", "nix-env"],
].map(createCommandPattern);

export function isDangerousCommand(words: readonly ShellWord[]): boolean {
  return patterns.some((pattern) => pattern.matches(words) !== "no");
}
