import { CaretError, trimEndOf } from "@caret/protocol";
import type { SettingPath, SettingValue } from "@caret/protocol/recipes";
import { getNodeValue, type Node } from "jsonc-parser";
import { nested } from "../config/setting-value.ts";
import { afterComments, commaAfter, commentsIn, endOf, entryOf, nodesAlong, readTree } from "./jsonc-tree.ts";
import { keepComments } from "./kept-comments.ts";
import {
  applySplices,
  indentAt,
  lineEnd,
  type SettingsEditor,
  type SettingUndo,
  type Splice,
} from "./settings-editor.ts";

/** JSON with comments and trailing commas, as editors write it. */
export const jsoncEditor: SettingsEditor = {
  parse: (text) => getNodeValue(readTree(text)),
  written(text, path) {
    const nodes = nodesAlong(readTree(text), path);
    const node = nodes.length > path.length ? nodes.at(-1) : undefined;
    return node === undefined ? undefined : text.slice(node.offset, endOf(node));
  },
  set(text, path, value) {
    const nodes = nodesAlong(readTree(text), path);
    const [splices, undo] = change(text, nodes, path, value);
    return { text: applySplices(text, splices), undo };
  },
  undo(text, path, undo) {
    const nodes = nodesAlong(readTree(text), path);
    if (nodes.length <= path.length) return text;
    return applySplices(text, keepComments(text, takeOut(text, nodes, undo), commentsIn(text)));
  },
};

function change(
  text: string,
  nodes: readonly Node[],
  path: SettingPath,
  value: SettingValue,
): readonly [readonly Splice[], SettingUndo] {
  const depth = nodes.length - 1;
  const place = nodes[depth] as Node;
  const step = path[depth];
  if (step === undefined) {
    const put = layOut(text, value, indentAt(text, place.offset), place.offset);
    const former = text.slice(place.offset, endOf(place));
    return [[{ from: place.offset, to: endOf(place), text: put }], { former, depth, blank: null }];
  }
  if (place.type !== (typeof step === "string" ? "object" : "array"))
    throw new CaretError(
      "invalid-request",
      `a setting in the way of ${describe(path)} is not ${typeof step === "string" ? "an object" : "a list"}`,
    );
  const name = typeof step === "string" ? `${JSON.stringify(step)}: ` : "";
  const last = place.children?.at(-1);
  const wanted = nested(path.slice(depth + 1), value);
  if (last !== undefined) return [appended(text, place, last, { name, wanted }), { former: null, depth, blank: null }];
  return intoEmpty(text, place, { name, wanted }, depth);
}

interface Added {
  readonly name: string;
  readonly wanted: SettingValue;
}

/** Behind the last entry and the comments on its line. A trailing comma stays one. */
function appended(text: string, place: Node, last: Node, { name, wanted }: Added): readonly Splice[] {
  const comma = commaAfter(text, endOf(last));
  const isOnOneLine = !text.slice(place.offset, endOf(place)).includes("\n");
  const indent = indentAt(text, last.offset);
  const lead = isOnOneLine ? " " : `${lineEnd(text)}${indent}`;
  const put = `${lead}${name}${isOnOneLine ? JSON.stringify(wanted) : layOut(text, wanted, indent, last.offset)}`;
  if (comma !== undefined) {
    const at = afterComments(text, comma + 1);
    return [{ from: at, to: at, text: `${put},` }];
  }
  const at = afterComments(text, endOf(last));
  if (at === endOf(last)) return [{ from: at, to: at, text: `,${put}` }];
  return [
    { from: endOf(last), to: endOf(last), text: "," },
    { from: at, to: at, text: put },
  ];
}

function intoEmpty(
  text: string,
  place: Node,
  { name, wanted }: Added,
  depth: number,
): readonly [readonly Splice[], SettingUndo] {
  const from = place.offset + 1;
  const to = endOf(place) - 1;
  const inside = text.slice(from, to);
  const outer = indentAt(text, place.offset);
  const indent = outer + unitOf(text);
  const put = `${lineEnd(text)}${indent}${name}${layOut(text, wanted, indent, place.offset)}`;
  if (inside.trim() === "")
    return [[{ from, to, text: `${put}${lineEnd(text)}${outer}` }], { former: null, depth, blank: inside }];
  const at = from + inside.trimEnd().length;
  return [[{ from: at, to: at, text: put }], { former: null, depth, blank: null }];
}

/** Lines of JSON, indented as the file is; the first without its indent. */
function layOut(text: string, value: SettingValue, indent: string, _at: number): string {
  return JSON.stringify(value, undefined, unitOf(text)).replaceAll("\n", `${lineEnd(text)}${indent}`);
}

/** What the file indents by. */
function unitOf(text: string): string {
  return /^[{[][^\S\n]*\r?\n([ \t]+)\S/m.exec(text)?.[1] ?? "  ";
}

/** The value that was there before; or nothing, with whatever was made only to have it in. */
function takeOut(text: string, nodes: readonly Node[], { former, depth, blank }: SettingUndo): readonly Splice[] {
  const value = nodes.at(-1) as Node;
  if (former !== null) return [{ from: value.offset, to: endOf(value), text: former }];
  // Upwards while nothing else is in it, but no further than what was made.
  let index = nodes.length - 1;
  while (index > depth + 1 && nodes[index - 1]?.children?.length === 1) index -= 1;
  return removed(text, nodes[index - 1] as Node, entryOf(nodes[index] as Node), blank);
}

function removed(text: string, place: Node, entry: Node, blank: string | null): readonly Splice[] {
  const children = place.children ?? [];
  const index = children.findIndex(({ offset }) => offset === entry.offset);
  const before = children[index - 1];
  const from = leadOf(text, entry.offset);
  const comma = commaAfter(text, endOf(entry));
  if (comma !== undefined && (before !== undefined || children.length > 1 || blank === null))
    return [{ from, to: comma + 1, text: "" }];
  if (before !== undefined) {
    const own = commaAfter(text, endOf(before)) as number;
    return [
      { from: own, to: own + 1, text: "" },
      { from, to: endOf(entry), text: "" },
    ];
  }
  const inside = [
    text.slice(place.offset + 1, entry.offset),
    text.slice(comma === undefined ? endOf(entry) : comma + 1, endOf(place) - 1),
  ];
  if (inside.join("").trim() === "") return [{ from: place.offset + 1, to: endOf(place) - 1, text: blank ?? "" }];
  return [{ from, to: comma === undefined ? endOf(entry) : comma + 1, text: "" }];
}

/** Where the blanks before an entry begin: its line break and indent, or the blanks on its line. */
function leadOf(text: string, offset: number): number {
  const lead = trimEndOf(text.slice(0, offset), /[ \t]/);
  if (lead.endsWith("\r\n")) return lead.length - 2;
  return lead.endsWith("\n") ? lead.length - 1 : lead.length;
}

function describe(path: SettingPath): string {
  return path.map((step) => (typeof step === "string" ? step : "[…]")).join(".");
}
