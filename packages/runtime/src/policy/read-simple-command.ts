import type { Assignment, Command, Word } from "unbash";
import { readRedirection } from "./read-redirection.ts";
import { notUnderstood, readShellWord } from "./read-shell-word.ts";
import type { ShellWalk } from "./shell-findings.ts";
import { fixedWord, type ShellWord } from "./shell-word.ts";

/** A command with its assignments, words and redirections, preceded by the words in `before`. */
export function readSimpleCommand(command: Command, walk: ShellWalk, before: readonly string[] = []): void {
  const pieces = piecesOf(command);
  const words = [...before.map(fixedWord), ...pieces.flatMap((piece) => readPiece(piece, walk) ?? [])];
  // In dash, `a &> f b` is `a &` and `> f b`.
  const both = pieces.findIndex((piece) => "operator" in piece && piece.operator.startsWith("&"));
  if (both !== -1 && pieces.slice(both).some(isWord))
    walk.found.opaque.push("a word behind `&>`, which may be a command");
  if (words.length > 0) walk.found.commands.push({ words, repeats: walk.repeats });
}

type Piece = Command["prefix"][number] | Command["suffix"][number];

function piecesOf({ prefix, name, suffix }: Command): readonly Piece[] {
  return [...prefix, ...(name === undefined ? [] : [name]), ...suffix];
}

function isWord(piece: Piece): piece is Word | Assignment {
  return piece.type === "Word" || piece.type === "Assignment";
}

function readPiece(piece: Piece, walk: ShellWalk): ShellWord | undefined {
  if (piece.type === "Word") return readShellWord(piece, walk);
  if (piece.type === "Assignment") return readAssignment(piece, walk);
  readRedirection(piece, walk);
  return undefined;
}

/** An assignment, possibly as an argument of a declaration command. */
function readAssignment(assignment: Assignment, walk: ShellWalk): ShellWord {
  const { name, value, append, index, text } = assignment;
  const isPlain = append !== true && index === undefined && text.startsWith(`${name}=`);
  if (isPlain && value.type === "Word" && text.length === name.length + 1 + value.text.length) {
    const read = readShellWord(value, walk);
    // The shell does not split it into several words.
    return { ...read, text: `${name}=${read.text}`, quoted: true, spread: false };
  }
  notUnderstood(assignment, "an assignment that is not plain", walk);
  return { text, fixed: false, quoted: false, spread: false };
}
