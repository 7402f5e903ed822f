import type { Node } from "jsonc-parser";

/** The value of this node becomes another; written over several lines, they are indented as the line it stands on. */
export function replaceValue(text: string, node: Node, value: unknown): string {
  return splice(text, node.offset, endOf(node), printed(text, value, indentAt(text, node.offset)));
}

/** Adds a property or an element behind the last one, in the manner of the file. */
export function insertChild(text: string, parent: Node, key: string | number, value: unknown): string {
  const last = parent.children?.at(-1);
  const name = typeof key === "number" ? "" : `${JSON.stringify(key)}: `;
  if (last === undefined) return insertFirst(text, parent, name, value);
  const { comma, lineEnd } = after(text, endOf(last));
  if (!text.slice(parent.offset, endOf(last)).includes("\n")) {
    const added = `, ${name}${JSON.stringify(value)}`;
    return splice(text, endOf(last), endOf(last), added);
  }
  const indent = indentAt(text, last.offset);
  const added = `${lineBreak(text)}${indent}${name}${printed(text, value, indent)}${comma === undefined ? "" : ","}`;
  // A comment beside the last one stays beside it, so the comma and the new line have places of their own.
  const separated = splice(text, lineEnd, lineEnd, added);
  return comma === undefined ? splice(separated, endOf(last), endOf(last), ",") : separated;
}

/** Takes a property or an element away with its comma, its line, and the comment beside it. Comments above it stay. */
export function removeChild(text: string, parent: Node, child: Node): string {
  const children = parent.children ?? [];
  const index = children.indexOf(child);
  const { comma, lineEnd } = after(text, endOf(child));
  const start = text.slice(0, child.offset).search(/[ \t]*$/);
  const hasOwnLine = text[start - 1] === "\n" && /^[ \t]*(?:\r?\n|$)/.test(text.slice(lineEnd));
  const from = hasOwnLine ? start - (text[start - 2] === "\r" ? 2 : 1) : child.offset;
  const until = hasOwnLine ? lineEnd : inlineEnd(text, comma ?? endOf(child));
  const previous = children[index - 1];
  const shorter = splice(text, from, until, "");
  if (comma !== undefined || previous === undefined) return closeEmpty(shorter, parent, children.length);
  const before = after(text, endOf(previous)).comma;
  if (before === undefined) return shorter;
  // What was the last is gone, so the one before it needs no comma any more.
  return hasOwnLine ? splice(shorter, before - 1, before, "") : splice(text, before - 1, endOf(child), "");
}

function insertFirst(text: string, parent: Node, name: string, value: unknown): string {
  const indent = indentAt(text, parent.offset);
  const inner = indent + unitOf(text);
  const end = endOf(parent) - 1;
  // Comments in an empty object stay above what comes in.
  const kept = text.slice(parent.offset + 1, end).trimEnd();
  const added = `${kept}${lineBreak(text)}${inner}${name}${printed(text, value, inner)}${lineBreak(text)}${indent}`;
  return splice(text, parent.offset + 1, end, added);
}

/** An object that has lost its only child is written without a line of nothing. */
function closeEmpty(text: string, parent: Node, hadChildren: number): string {
  if (hadChildren > 1) return text;
  const rest = text.slice(parent.offset + 1);
  const blank = /^\s*/.exec(rest)?.[0].length ?? 0;
  return /^[}\]]/.test(rest.slice(blank)) ? splice(text, parent.offset + 1, parent.offset + 1 + blank, "") : text;
}

interface After {
  /** Behind the comma that follows, if one does. */
  readonly comma: number | undefined;
  /** Behind the last comment that stands on the same line. */
  readonly lineEnd: number;
}

/** Blanks, a line break, a comment, a comma: what may stand between two children. */
const between = /([ \t]+)|(\r?\n|\r)|(\/\/[^\r\n]*|\/\*[\s\S]*?\*\/)|(,)/y;

/** What follows a child: a comma, perhaps after comments, and the comments beside it. */
function after(text: string, end: number): After {
  let comma: number | undefined;
  let lineEnd = end;
  let isSameLine = true;
  between.lastIndex = end;
  for (let match = between.exec(text); match !== null; match = between.exec(text)) {
    const [, blanks, lineFeed, , isComma] = match;
    // The second comma is the next child's.
    if (isComma !== undefined && comma !== undefined) break;
    if (isComma !== undefined) comma = between.lastIndex;
    if (lineFeed !== undefined) isSameLine = false;
    if (isSameLine && blanks === undefined) lineEnd = between.lastIndex;
  }
  return { comma, lineEnd: Math.max(lineEnd, comma ?? 0) };
}

function inlineEnd(text: string, end: number): number {
  return end + (/^[ \t]*/.exec(text.slice(end))?.[0].length ?? 0);
}

function endOf({ offset, length }: Node): number {
  return offset + length;
}

function splice(text: string, from: number, until: number, added: string): string {
  return text.slice(0, from) + added + text.slice(until);
}

function printed(text: string, value: unknown, indent: string): string {
  return JSON.stringify(value, undefined, unitOf(text)).replaceAll("\n", `${lineBreak(text)}${indent}`);
}

/** The blanks that the line of this offset begins with. */
function indentAt(text: string, offset: number): string {
  const lineStart = text.lastIndexOf("\n", offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(lineStart, offset))?.[0] ?? "";
}

/** One step of indentation, as the first indented line has it. */
function unitOf(text: string): string {
  return /^([ \t]+)["{[\]}]/m.exec(text)?.[1] ?? "  ";
}

function lineBreak(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}
