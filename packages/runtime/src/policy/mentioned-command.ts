import { programName } from "./launch.ts";
import { mayStartOthers } from "./may-start-others.ts";
import type { ShellWord } from "./shell-cursor.ts";

/** Names that are hardly ever anything but a command. */
const unmistakable: ReadonlySet<string> = new Set([
  ...["rm", "rmdir", "shred", "unlink", "dd", "mkfs", "wipefs", "dropdb", "sudo", "doas", "chmod", "chown"],
]);

/** Programs whose arguments are words for people, a message or a description. */
const talking: ReadonlySet<string> = new Set(["git", "gh", "glab", "hg", "svn"]);

/**
 * A command that destroys, among the arguments of a program that may start others: `wrapper rm -r src`,
 * `tool --run='rm -r src'`. No list of launchers is complete, and these few are worth a question.
 */
export function mentionedCommand(words: readonly ShellWord[]): string | undefined {
  if (talking.has(words[0]?.text ?? "") || !mayStartOthers(words)) return undefined;
  const pieces = words.slice(1).flatMap(({ text }) => text.split(/[^\w./-]+/));
  return pieces.map(programName).find((name) => unmistakable.has(name));
}
