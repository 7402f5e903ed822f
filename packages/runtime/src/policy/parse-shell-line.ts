import { parse } from "unbash";
import { isAccountedFor } from "./accounted-source.ts";
import { MAX_DEPTH, readNode } from "./read-shell-node.ts";
import type { ShellFindings, ShellWalk } from "./shell-findings.ts";

const MAX_LENGTH = 50_000;
const MAX_BRACKETS = 40;
/** What may be at an error: a word that starts or ends a construct, or any character. */
const UNEXPECTED = /^(do|then|else|elif|fi|done|esac|in|[;&|)]+|.)/s;
/** A line continuation that may join its neighbours into one word or operator. */
const JOINED = /(?<![ \t\n]|&&|\|\|)\\\n(?![ \t])/g;

/**
 * Finds every simple command of a line of POSIX shell or bash, as far as possible without running it.
 *
 * The grammar is `unbash`'s, which reads bash, while `/bin/sh` may be dash. Anything the two read differently, and every part of the tree
 * that the readers do not list, is reported as opaque: the line may then do anything. Commands in such parts are still collected, since a
 * rule may forbid them. Aliases, functions and variables are unknown.
 */
export function parseShellLine(source: string): ShellFindings {
  const found: ShellFindings = { commands: [], writes: [], reads: [], opaque: [] };
  if (source.length > MAX_LENGTH) found.opaque.push("a line that is too long");
  else if (isTooDeep(source)) found.opaque.push("a line that is too deep");
  else readLine(source, found);
  return found;
}

function readLine(source: string, found: ShellFindings): void {
  const literals: (readonly [number, number])[] = [];
  // Hidden texts can contain others: their total is limited to a multiple of the line's length, which bounds the time.
  let left = 3 * source.length;
  const readHidden: ShellWalk["readHidden"] = (text, walk) => {
    left -= text.length;
    if (left < 0 || walk.depth > MAX_DEPTH || isTooDeep(text)) return;
    readText(text, { ...walk, unreadDepth: walk.unreadDepth + 1, noteLiteral: () => undefined });
  };
  const noteLiteral = (pos: number, end: number): void => void literals.push([pos, end]);
  const walk = { found, source, depth: 0, unreadDepth: 0, repeats: false, readNode, readHidden, noteLiteral };
  if (source.includes("\0") || !source.isWellFormed()) found.opaque.push("a character that no command line can have");
  readText(source, walk);
  if (joinsWords(source, literals)) found.opaque.push("a joined line that may join what stands around it");
}

/** After an error the parser may have dropped something. */
function readText(source: string, walk: ShellWalk): void {
  const script = parse(source);
  readNode(script, { ...walk, source });
  if (!isAccountedFor(script, source, 0, source.length)) walk.found.opaque.push("a line that does not parse");
  const error = script.errors?.[0];
  if (error !== undefined)
    walk.readHidden(source.slice(error.pos).replace(UNEXPECTED, ""), { ...walk, depth: walk.depth + 1 });
}

/** Each level of brackets is read once per enclosing level. */
function isTooDeep(source: string): boolean {
  let level = 0;
  let deepest = 0;
  for (const [bracket] of source.matchAll(/[(){}]/g)) {
    level = /[({]/.test(bracket) ? level + 1 : Math.max(0, level - 1);
    deepest = Math.max(deepest, level);
  }
  return deepest > MAX_BRACKETS;
}

/** Whether a line is continued anywhere except at a blank between words, or within literal text. */
function joinsWords(source: string, literals: readonly (readonly [number, number])[]): boolean {
  const joined = [...source.matchAll(JOINED)].map(({ index }) => index);
  if (joined.length === 0) return false;
  const isLiteral = new Uint8Array(source.length);
  for (const [pos, end] of literals) isLiteral.fill(1, pos, end);
  return joined.some((index) => isLiteral[index] !== 1);
}
