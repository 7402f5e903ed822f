import type { SettingPath, SettingStep } from "@caret/protocol/recipes";
import { createScanner, getNodeValue, type Node, type ParseError, parseTree } from "jsonc-parser";
import { isItem } from "../config/setting-value.ts";
import type { KeptText } from "./kept-comments.ts";

/** Of the parser's `SyntaxKind`, a constant enum, which cannot be imported where types are stripped. */
const tokens = { comma: 5, lineComment: 12, blockComment: 13, lineBreak: 14, blank: 15, end: 17 };

/** The tree of a JSON text with comments and trailing commas. Throws where it cannot be read. */
export function readTree(text: string): Node {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  if (root === undefined || errors.length > 0) throw new SyntaxError("it is not JSON, nor JSON with comments");
  return root;
}

export function commentsIn(text: string): readonly KeptText[] {
  const scanner = createScanner(text);
  const comments: KeptText[] = [];
  for (let token: number = scanner.scan(); token !== tokens.end; token = scanner.scan()) {
    const from = scanner.getTokenOffset();
    if (token === tokens.lineComment || token === tokens.blockComment)
      comments.push({ from, to: from + scanner.getTokenLength() });
  }
  return comments;
}

/** The nodes along a path, as far as it leads; the root is the first. */
export function nodesAlong(root: Node, path: SettingPath): readonly Node[] {
  const nodes = [root];
  for (const step of path) {
    const next = childOf(nodes.at(-1) ?? root, step);
    if (next === undefined) break;
    nodes.push(next);
  }
  return nodes;
}

/** The value of a member, or an item. */
function childOf(node: Node, step: SettingStep): Node | undefined {
  const children = node.children ?? [];
  if (typeof step !== "string")
    return node.type === "array" ? children.find((item) => isItem(getNodeValue(item), step)) : undefined;
  // The last of two members with one name counts, as for JSON.parse.
  return children.findLast(({ children: [name] = [] }) => node.type === "object" && name?.value === step)
    ?.children?.[1];
}

/** What stands in its container for a value: the member with its name, or the item itself. */
export function entryOf(value: Node): Node {
  return value.parent?.type === "property" ? value.parent : value;
}

export function endOf({ offset, length }: Node): number {
  return offset + length;
}

/** Where the comma is that follows an offset, if the next thing that is no comment is one. */
export function commaAfter(text: string, offset: number): number | undefined {
  const scanner = createScanner(text, false);
  scanner.setPosition(offset);
  for (let kind = scanner.scan(); ; kind = scanner.scan()) {
    if (kind === tokens.comma) return scanner.getTokenOffset();
    if (!isTrivia(kind)) return undefined;
  }
}

/** Behind the comments that follow an offset on its line. */
export function afterComments(text: string, offset: number): number {
  const scanner = createScanner(text, false);
  scanner.setPosition(offset);
  let end = offset;
  for (let kind = scanner.scan(); isTrivia(kind) && kind !== tokens.lineBreak; kind = scanner.scan())
    if (kind !== tokens.blank) end = scanner.getTokenOffset() + scanner.getTokenLength();
  return end;
}

function isTrivia(kind: number): boolean {
  return kind >= tokens.lineComment && kind <= tokens.blank;
}
