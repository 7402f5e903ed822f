import { parse } from "unbash";
import { isAccountedFor } from "./accounted-source.ts";
import { MAX_DEPTH, readNode } from "./read-shell-node.ts";
import type { ShellFindings, ShellWalk } from "./shell-findings.ts";

const MAX_LENGTH = 50_000;
const MAX_BRACKETS = 40;
/** What stands at an error: a word that begins or ends a construct, or any character. */
const UNEXPECTED = /^(do|then|else|elif|fi|done|esac|in|[;&|)]+|.)/s;
/** A joined line that may make one word or operator of what stands around it. */
const JOINED = /(?<![ \t\n]|&&|\|\|)\\\n(?![ \t])/g;

/**
 * Find every simple command of a line of POSIX shell or bash, as far as that can be done without running it.
 *
 * The grammar is `unbash`'s, which reads bash, while `/bin/sh` may be dash. What the two read differently, and every part of
 * the tree that the readers do not list, is reported as opaque: the line may then do anything. The commands in such parts
 * are found as well, since a rule may forbid them. Aliases, functions and variables are not known.
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
  // Hidden texts may hide others: together they are a few times as long as the line, so that its length bounds the time.
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

/** Behind an error the parser may have left something out. */
function readText(source: string, walk: ShellWalk): void {
  const script = parse(source);
  readNode(script, { ...walk, source });
  if (!isAccountedFor(script, source, 0, source.length)) walk.found.opaque.push("a line that does not parse");
  const error = script.errors?.[0];
  if (error !== undefined)
    walk.readHidden(source.slice(error.pos).replace(UNEXPECTED, ""), { ...walk, depth: walk.depth + 1 });
}

/** Each level of parentheses and braces is read as often as there are levels around it. */
function isTooDeep(source: string): boolean {
  let level = 0;
  let deepest = 0;
  for (const [bracket] of source.matchAll(/[(){}]/g)) {
    level = /[({]/.test(bracket) ? level + 1 : Math.max(0, level - 1);
    deepest = Math.max(deepest, level);
  }
  return deepest > MAX_BRACKETS;
}

/** Whether a line is joined anywhere but where a blank keeps two words apart, or in a text that is taken as it stands. */
function joinsWords(source: string, literals: readonly (readonly [number, number])[]): boolean {
  const joined = [...source.matchAll(JOINED)].map(({ index }) => index);
  if (joined.length === 0) return false;
  const isLiteral = new Uint8Array(source.length);
  for (const [pos, end] of literals) isLiteral.fill(1, pos, end);
  return joined.some((index) => isLiteral[index] !== 1);
}
