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

/** What begins with a sign that stands in no string. */
function commentsIn(text: string, { from, to }: Section): readonly KeptText[] {
  parse(text.slice(from, to));
  const comments: KeptText[] = [];
  for (let at = from; at < to; ) {
    const start = at;
    const character = text.charAt(at);
    if (character === "#") {
      while (at < to && !/[\r\n]/.test(text.charAt(at))) at += 1;
      comments.push({ from: start, to: at });
    } else if (character === '"' || character === "'") at = endOfString(text, at, to);
    else at += 1;
  }
  return comments;
}

/** Of any of the four kinds of strings; three quotes may have two more before them. */
function endOfString(text: string, start: number, to: number): number {
  const quote = text.charAt(start);
  const isLong = text.startsWith(quote.repeat(3), start);
  const closing = isLong ? quote.repeat(3) : quote;
  let at = start + closing.length;
  while (at < to && !text.startsWith(closing, at)) at += quote === '"' && text.charAt(at) === "\\" ? 2 : 1;
  at += closing.length;
  while (isLong && at < to && text.charAt(at) === quote) at += 1;
  return at;
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
