import { CaretError } from "@caret/protocol";
import { getNodePath, type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import { insertChild, removeChild, replaceValue } from "./jsonc-changes.ts";

/** Where a value stands in a file: names of properties, and indexes of arrays. */
export type JsoncPath = readonly (string | number)[];

const BOM = "\ufeff";

/** The whole document, comments and trailing commas allowed. Throws when it does not parse: then nothing may be written. */
export function parseJsonc(text: string): unknown {
  return toValue(parseRoot(text));
}

/** The text with this value at this path, and everything else as it was. Objects on the way there are made. */
export function setInJsonc(text: string, path: JsoncPath, value: unknown): string {
  return withoutBom(text, (plain) => {
    const root = parseRoot(plain);
    const { node, rest } = deepest(root, path);
    const [key, ...below] = rest;
    if (key === undefined) return replaceValue(plain, node, value);
    const inner = below.reduceRight<unknown>((nested, name) => ({ [name]: nested }), value);
    return insertChild(plain, node, key, inner);
  });
}

/** The text without the property or the element at this path; the text as it is when nothing is there. */
export function removeFromJsonc(text: string, path: JsoncPath): string {
  return withoutBom(text, (plain) => {
    const { node, rest } = deepest(parseRoot(plain), path);
    if (rest.length > 0) return plain;
    const child = node.parent?.type === "property" ? node.parent : node;
    return child.parent === undefined ? plain : removeChild(plain, child.parent, child);
  });
}

function parseRoot(text: string): Node {
  const errors: ParseError[] = [];
  const root = parseTree(text.replace(BOM, ""), errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first !== undefined || root === undefined) {
    const what =
      first === undefined ? "it is empty" : `${printParseErrorCode(first.error)} at ${place(text, first.offset)}`;
    throw new CaretError("invalid-config", `It is not JSON: ${what}`, {
      fix: "Correct the file; it was left as it is.",
    });
  }
  return root;
}

function place(text: string, offset: number): string {
  const lines = text.slice(0, offset).split("\n");
  return `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
}

/** The node at the longest part of the path that exists, and what is left of the path. */
function deepest(root: Node, path: JsoncPath): { readonly node: Node; readonly rest: JsoncPath } {
  let node = root;
  for (const [index, key] of path.entries()) {
    const next = childAt(node, key);
    if (next === undefined) return { node: container(node, key), rest: path.slice(index) };
    node = next;
  }
  return { node, rest: [] };
}

/** Of two properties with one name the last counts, as for `JSON.parse`. */
function childAt(node: Node, key: string | number): Node | undefined {
  if (node.type === "array") return typeof key === "number" ? node.children?.[key] : undefined;
  return node.children?.findLast((property) => property.children?.[0]?.value === key)?.children?.[1];
}

function container(node: Node, key: string | number): Node {
  if (node.type === (typeof key === "number" ? "array" : "object")) return node;
  const at = getNodePath(node).join(".") || "the file";
  throw new CaretError("invalid-config", `${at} must be ${typeof key === "number" ? "an array" : "an object"}`);
}

function toValue(node: Node): unknown {
  if (node.type === "array") return (node.children ?? []).map(toValue);
  if (node.type !== "object") return node.value;
  const pairs = (node.children ?? []).flatMap(({ children: [name, value] = [] }) =>
    name === undefined || value === undefined ? [] : [[String(name.value), toValue(value)] as const],
  );
  return Object.fromEntries(pairs);
}

function withoutBom(text: string, change: (plain: string) => string): string {
  return text.startsWith(BOM) ? BOM + change(text.slice(BOM.length)) : change(text);
}
