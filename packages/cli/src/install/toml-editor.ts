import { isDeepStrictEqual } from "node:util";
import { CaretError } from "@caret/protocol";
import type { SettingPath, SettingValue } from "@caret/protocol/recipes";
import { parse } from "smol-toml";
import { valueAt } from "../config/setting-value.ts";
import { type KeptText, keepComments } from "./kept-comments.ts";
import { applySplices, lineEnd, type SettingsEditor, type Splice } from "./settings-editor.ts";

/** TOML, where a setting of ours is a table of its own: it can stand at the end of any file. */
export const tomlEditor: SettingsEditor = {
  parse: (text) => parse(text),
  written(text, path) {
    const section = findSection(text, path);
    return section === undefined ? undefined : text.slice(section.from, section.to);
  },
  set(text, path, value) {
    const end = lineEnd(text);
    const added = [`[${headerOf(path)}]`, ...members(value)].join(end);
    const section = findSection(text, path);
    if (section !== undefined) {
      const former = text.slice(section.from, section.to);
      return {
        text: text.slice(0, section.from) + added + text.slice(section.to),
        undo: { former, depth: 0, blank: null },
      };
    }
    if (valueAt(parse(text), path) !== undefined)
      throw new CaretError("invalid-request", `${headerOf(path)} is there already, but is not a table of its own`);
    const undo = { former: null, depth: 0, blank: null };
    if (text === "") return { text: added + end, undo };
    return { text: text.endsWith("\n") ? `${text}${end}${added}${end}` : `${text}${end}${end}${added}`, undo };
  },
  undo(text, path, { former }) {
    const section = findSection(text, path);
    if (section === undefined) return text;
    return applySplices(text, keepComments(text, [takeOut(text, section, former)], commentsIn(text, section)));
  },
};

function takeOut(text: string, { from, to }: Section, former: string | null): Splice {
  if (former !== null) return { from, to, text: former };
  const before = text.slice(0, from);
  const after = text.slice(to);
  // The empty line before it is ours, and so is its line end; without one, both line breaks before it are.
  if (after === "") return { from: before.replace(/\r?\n\r?\n$/, "").length, to, text: "" };
  const ownEnd = /^\r?\n/.exec(after)?.[0].length ?? 0;
  return { from: before.replace(/(^|\n)\r?\n$/, "$1").length, to: to + ownEnd, text: "" };
}

/** A sign that begins a comment is one whose rest of the line can go without a change of any value. */
function commentsIn(text: string, { from, to }: Section): readonly KeptText[] {
  const table = text.slice(from, to);
  const settings = parse(table);
  const comments: KeptText[] = [];
  for (const { index, 0: rest } of table.matchAll(/#[^\r\n]*/g)) {
    const starts = [...rest.matchAll(/#/g)].map((sign) => index + sign.index);
    const start = starts.find((at) => isWithout(table, at, index + rest.length, settings));
    if (start !== undefined) comments.push({ from: from + start, to: from + index + rest.length });
  }
  return comments;
}

function isWithout(table: string, from: number, to: number, settings: unknown): boolean {
  try {
    return isDeepStrictEqual(parse(table.slice(0, from) + table.slice(to)), settings);
  } catch {
    return false; // it was a part of a value
  }
}

function headerOf(path: SettingPath): string {
  return path.map((step) => (/^[\w-]+$/.test(String(step)) ? step : JSON.stringify(step))).join(".");
}

function members(value: SettingValue): readonly string[] {
  return Object.entries(value as Record<string, SettingValue>).map(
    ([name, member]) => `${name} = ${JSON.stringify(member)}`,
  );
}

interface Section {
  readonly from: number;
  /** Behind its last line that is neither blank nor a comment, before the line break. */
  readonly to: number;
}

/** The lines of a table and of the tables in it that follow, without the comments that belong to the next one. */
function findSection(text: string, path: SettingPath): Section | undefined {
  const name = headerOf(path).replaceAll(".", "[ \\t]*\\.[ \\t]*");
  const found = new RegExp(`^[ \\t]*\\[[ \\t]*${name}[ \\t]*\\][^\\n\\r]*`, "m").exec(text);
  if (found === null) return undefined;
  const rest = text.slice(found.index + found[0].length);
  const next = new RegExp(`^[ \\t]*\\[(?!\\[?[ \\t]*${name}[ \\t]*\\.)`, "m").exec(rest)?.index ?? rest.length;
  const own = withoutLastComments(rest.slice(0, next));
  return { from: found.index, to: found.index + found[0].length + own.length };
}

/** Blank lines and comments at the end belong to what comes behind. */
function withoutLastComments(text: string): string {
  let end = text.length;
  while (end > 0) {
    const at = text.lastIndexOf("\n", end - 1);
    if (at === -1 || !/^[ \t]*(?:#[^\r\n]*)?$/.test(text.slice(at + 1, end))) break;
    end = text[at - 1] === "\r" ? at - 1 : at;
  }
  return text.slice(0, end);
}
