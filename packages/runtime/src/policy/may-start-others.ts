import { programName } from "./launch.ts";
import type { ShellWord } from "./shell-word.ts";
import { isInSystemDirectory } from "./system-directory.ts";

/** Programs that do what their words say and start no other program, unless `readLaunch` says so. */
const plain: ReadonlySet<string> = new Set([
  ...["echo", "printf", "true", "false", ":", "test", "[", "pwd", "cd", "pushd", "popd", "dirs", "exit", "return"],
  ...["break", "continue", "shift", "wait", "jobs", "umask", "ulimit", "times", "type", "unset", "sleep", "yes", "seq"],
  ...["ls", "dir", "cat", "tac", "head", "tail", "wc", "nl", "sort", "uniq", "cut", "tr", "paste", "join", "comm"],
  ...["diff", "cmp", "grep", "egrep", "fgrep", "rg", "sed", "gsed", "awk", "gawk", "mawk", "nawk", "find", "file"],
  ...["stat", "du", "df", "date", "cal", "basename", "dirname", "realpath", "readlink", "which", "whereis", "id"],
  ...["whoami", "groups", "hostname", "uname", "arch", "nproc", "uptime", "free", "ps", "printenv", "expr", "factor"],
  ...["od", "xxd", "hexdump", "strings", "base64", "base32", "md5sum", "sha1sum", "sha256sum", "sha512sum", "cksum"],
  ...["column", "fold", "fmt", "pr", "expand", "unexpand", "rev", "shuf", "split", "csplit", "tsort", "jq", "tree"],
  ...["mkdir", "touch", "mktemp", "mkfifo", "cp", "mv", "ln", "install", "tee", "sync", "tput", "clear", "tty"],
  ...["gzip", "gunzip", "zcat", "bzip2", "bunzip2", "xz", "unxz", "zstd", "tar", "zip", "unzip"],
  ...["rm", "rmdir", "unlink", "shred", "dd", "truncate", "chmod", "chown", "kill", "killall", "pkill"],
  // Left over when they start nothing: `env` alone prints, `command -v` looks up.
  ...["env", "command", "builtin", "exec", "nohup", "time", "xargs"],
]);
const plainGit: ReadonlySet<string> = new Set([
  ...[
    "status",
    "log",
    "diff",
    "show",
    "add",
    "branch",
    "blame",
    "grep",
    "ls-files",
    "ls-tree",
    "rev-parse",
    "rev-list",
  ],
  ...["cat-file", "describe", "shortlog", "reflog", "tag", "stash", "init", "merge-base", "name-rev", "check-ignore"],
  ...["remote", "reset", "restore", "clean", "rm", "mv"],
]);

/**
 * Whether a command may start programs that the line does not name. True unless the program is known not to: anything unlisted may be a
 * launcher, a script, or a tool that runs what a project's files say.
 */
export function mayStartOthers([first, second]: readonly ShellWord[]): boolean {
  if (first === undefined || !first.fixed) return true;
  if (first.text.includes("/") && !isInSystemDirectory(first.text)) return true;
  const name = programName(first.text);
  // A word that is not a git command may be an alias for any line of shell.
  if (name === "git") return second !== undefined && (!second.fixed || !plainGit.has(second.text));
  return !plain.has(name);
}
