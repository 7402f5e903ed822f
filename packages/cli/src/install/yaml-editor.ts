import { CaretError } from "@caret/protocol";
import type { SettingPath, SettingStep, SettingValue } from "@caret/protocol/recipes";
import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  type Node,
  type Pair,
  parseAllDocuments,
  stringify,
  visit,
} from "yaml";
import { isItem, nested } from "../config/setting-value.ts";
import { type KeptText, keepComments } from "./kept-comments.ts";
import { applySplices, lineEnd, type SettingsEditor, type SettingUndo, type Splice } from "./settings-editor.ts";

type YamlDocument = Document.Parsed;

/** What the lexer says of itself; nothing of it is in the text. */
const SIGNS: ReadonlySet<string> = new Set(["\u0002", "\u0018", "\u001f"]);

/** YAML: lines are added behind the last entry of a block; brackets and empty places are replaced as a whole. */
export const yamlEditor: SettingsEditor = {
  parse: (text) => read(text).toJS() ?? {},
  written(text, path) {
    const document = read(text);
    const nodes = nodesAlong(text, document, path);
    const node = nodes.length > path.length ? nodes.at(-1) : undefined;
    return node == null ? undefined : sourceOf(text, node);
  },
  set(text, path, value) {
    const document = read(text);
    const nodes = nodesAlong(text, document, path);
    const depth = nodes.length - 1;
    const [splice, undo] = change(text, { place: nodes[depth] ?? null, path, depth, value });
    return { text: applySplices(text, [splice]), undo };
  },
  undo(text, path, undo, value) {
    const document = read(text);
    const nodes = nodesAlong(text, document, path);
    if (nodes.length <= path.length) return text;
    const splice = takeOut(text, nodes, undo);
    const added = undo.former === null ? addedMembers(nodes.at(-1) ?? null, value) : [];
    const comments = commentsIn(text).filter(
      ({ from }) => !added.some((member) => from >= member.from && from < member.to),
    );
    const left = applySplices(text, keepComments(text, [splice], [...added, ...comments]));
    return isReadable(left) ? left : applySplices(text, keepComments(text, [splice], comments));
  },
};

function isReadable(text: string): boolean {
  try {
    read(text);
    return true;
  } catch {
    return false; // what was added by hand has no place without ours
  }
}

/** Lines a person added below ours, whose indentation made them part of our entry. */
function addedMembers(node: Node | null, value: SettingValue | undefined): readonly KeptText[] {
  if (!isMap(node) || isFlow(node) || typeof value !== "object" || value === null) return [];
  const ours = new Set(Object.keys(value));
  const added = (node.items as Pair<Node, Node | null>[]).filter(
    ({ key }) => !ours.has(String(isScalar(key) ? key.value : key)),
  );
  return added.map((pair) => ({ from: rangeOf(pair.key)[0], to: contentEnd(pair) }));
}

function read(text: string): YamlDocument {
  // A file of comments only is a file without settings.
  const source = isBlank(text) ? "{}" : text;
  // The parser compares each key of a map with all others.
  const [document, ...others] = parseAllDocuments(source, { uniqueKeys: false }) as readonly YamlDocument[];
  if (others.length > 0) throw new SyntaxError("it has several documents");
  if (document === undefined || document.errors.length > 0 || hasTwice(document))
    throw new SyntaxError("it is not YAML");
  return document;
}

/** Whether a map has two entries of one name. */
function hasTwice(document: YamlDocument): boolean {
  let isFound = false;
  visit(document, {
    Map(_key, { items }) {
      const names = items.map(({ key }) => (isScalar(key) ? key.value : key));
      if (new Set(names).size < names.length) isFound = true;
    },
  });
  return isFound;
}

function isBlank(text: string): boolean {
  return /^(?:[ \t]*(?:#[^\r\n]*)?(?:\r?\n|$))*$/.test(text);
}

/** The nodes along a path, as far as it leads; null is the root of a file without settings. */
function nodesAlong(text: string, document: YamlDocument, path: SettingPath): readonly (Node | null)[] {
  const nodes: (Node | null)[] = [isBlank(text) ? null : document.contents];
  for (const step of path) {
    const next = childOf(document, nodes.at(-1) ?? null, step);
    if (next === undefined) break;
    nodes.push(next);
  }
  return nodes;
}

function childOf(document: YamlDocument, node: Node | null, step: SettingStep): Node | undefined {
  if (typeof step === "string")
    return isMap(node) ? ((node.get(step, true) as Node | undefined) ?? undefined) : undefined;
  const items = isSeq(node) ? (node.items as Node[]) : [];
  return items.find((item) => isItem(item.toJS(document), step));
}

function sourceOf(text: string, { range }: Node): string {
  return range == null ? "" : text.slice(range[0], range[1]);
}

interface Change {
  readonly place: Node | null;
  readonly path: SettingPath;
  readonly depth: number;
  readonly value: SettingValue;
}

function change(text: string, { place, path, depth, value }: Change): readonly [Splice, SettingUndo] {
  const step = path[depth];
  if (step === undefined) {
    const [from, to] = rangeOf(place as Node);
    return [
      { from, to, text: inBrackets(text, value, to) },
      { former: text.slice(from, to), depth, blank: null },
    ];
  }
  const wanted = nested(path.slice(depth + 1), value);
  const entry = typeof step === "string" ? { [step]: wanted } : [wanted];
  if (place === null)
    return [appendLines(text, text.length, lines(entry, 0, text)), { former: null, depth, blank: null }];
  const isFitting = typeof step === "string" ? isMap(place) : isSeq(place);
  const isEmpty = isScalar(place) ? place.value === null : isFitting && entriesOf(place).length === 0;
  if (!isFitting && !isEmpty)
    throw new CaretError("invalid-request", "a setting in the way is neither a map nor a list");
  if (isEmpty) {
    const [from, to] = rangeOf(place);
    const space = text[from - 1] === ":" ? " " : "";
    return [
      { from, to, text: space + inBrackets(text, entry, to) },
      { former: null, depth, blank: text.slice(from, to) },
    ];
  }
  const undo = { former: null, depth, blank: null };
  const entries = entriesOf(place);
  const last = entries.at(-1) as Entry;
  if (isFlow(place)) return [{ from: endOf(last), to: endOf(last), text: `, ${unwrapped(entry)}` }, undo];
  const column = columnOf(text, startOf(text, entries[0] as Entry));
  return [appendLines(text, endOfLines(text, endOf(last)), lines(entry, column, text)), undo];
}

type Entry = Pair<Node, Node | null> | Node;

function entriesOf(place: Node): readonly Entry[] {
  return (place as { items?: readonly Entry[] }).items ?? [];
}

function isFlow(place: Node): boolean {
  return (place as { flow?: boolean }).flow === true;
}

/** What stands between the brackets. */
function unwrapped(entry: SettingValue): string {
  return JSON.stringify(entry).slice(1, -1);
}

/** JSON on one line is YAML too. What ended its line still does. */
function inBrackets(text: string, value: SettingValue, end: number): string {
  return JSON.stringify(value) + (text[end - 1] === "\n" ? lineEnd(text) : "");
}

function lines(entry: SettingValue, column: number, text: string): readonly string[] {
  const rendered = stringify(entry, { lineWidth: 0 }).trimEnd().split("\n");
  return rendered.map((line) => `${" ".repeat(column)}${line}${lineEnd(text)}`);
}

/** Whole lines at the beginning of one. A file that ends without a line break still does. */
function appendLines(text: string, at: number, added: readonly string[]): Splice {
  const block = added.join("");
  if (at === 0 || text[at - 1] === "\n") return { from: at, to: at, text: block };
  return { from: at, to: at, text: lineEnd(text) + block.trimEnd() };
}

function rangeOf({ range }: Node): readonly [number, number] {
  return range == null ? [0, 0] : [range[0], range[1]];
}

function columnOf(text: string, offset: number): number {
  return offset - (text.lastIndexOf("\n", offset - 1) + 1);
}

function isPair(entry: Entry): entry is Pair<Node, Node | null> {
  return "key" in entry;
}

/** Of the key, or of the dash before an item. */
function startOf(text: string, entry: Entry): number {
  return isPair(entry) ? rangeOf(entry.key)[0] : text.lastIndexOf("-", rangeOf(entry)[0] - 1);
}

function endOf(entry: Entry): number {
  return rangeOf(isPair(entry) ? (entry.value ?? entry.key) : entry)[1];
}

/** Behind the last thing in an entry that is not a comment: a block reaches over those below it. */
function contentEnd(entry: Entry): number {
  const value = isPair(entry) ? (entry.value ?? entry.key) : entry;
  const last = isFlow(value) ? undefined : entriesOf(value).at(-1);
  return last === undefined ? rangeOf(value)[1] : contentEnd(last);
}

function commentsIn(text: string): readonly KeptText[] {
  const comments: KeptText[] = [];
  let at = 0;
  for (const lexeme of new Lexer().lex(text)) {
    if (SIGNS.has(lexeme)) continue;
    if (lexeme.startsWith("#")) comments.push({ from: at, to: at + lexeme.length });
    at += lexeme.length;
  }
  return comments;
}

/** Where the line after an offset begins, or the end of the text. */
function endOfLines(text: string, end: number): number {
  if (text[end - 1] === "\n") return end;
  const next = text.indexOf("\n", end);
  return next === -1 ? text.length : next + 1;
}

function takeOut(text: string, nodes: readonly (Node | null)[], { former, depth, blank }: SettingUndo): Splice {
  const value = nodes.at(-1) as Node;
  const [from, to] = rangeOf(value);
  if (former !== null) return { from, to, text: former };
  let index = nodes.length - 1;
  while (index > depth + 1 && entriesOf(nodes[index - 1] as Node).length === 1) index -= 1;
  const place = nodes[index - 1] as Node;
  const entries = entriesOf(place);
  const at = entries.findIndex((item) => (isPair(item) ? item.value : item) === nodes[index]);
  const entry = entries[at] as Entry;
  if (entries.length === 1 && blank !== null) {
    const [start] = rangeOf(place);
    const end = isFlow(place) ? rangeOf(place)[1] : contentEnd(entry);
    const space = blank === "" && text[start - 1] === " " ? 1 : 0;
    return { from: start - space, to: end, text: blank };
  }
  if (isFlow(place)) return withoutFlow(entries, at);
  return withoutLines(text, entry);
}

function withoutLines(text: string, entry: Entry): Splice {
  const start = startOf(text, entry);
  const line = start - columnOf(text, start);
  const end = endOfLines(text, contentEnd(entry));
  // The last lines of a file that ends without a line break take the one before them along.
  const isUnended = end === text.length && !text.endsWith("\n") && line > 0;
  const before = isUnended ? line - (text[line - 2] === "\r" ? 2 : 1) : line;
  return { from: before, to: end, text: "" };
}

/** With the comma before it; the first takes the one behind it. */
function withoutFlow(entries: readonly Entry[], at: number): Splice {
  const entry = entries[at] as Entry;
  const before = entries[at - 1];
  const next = entries[at + 1];
  if (before !== undefined) return { from: endOf(before), to: endOf(entry), text: "" };
  return { from: startOfFlow(entry), to: next === undefined ? endOf(entry) : startOfFlow(next), text: "" };
}

function startOfFlow(entry: Entry): number {
  return rangeOf(isPair(entry) ? entry.key : entry)[0];
}
