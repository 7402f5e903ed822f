import type { SettingPath, SettingValue } from "@caret/protocol/recipes";

/** What has to be known to take a setting out again, so that the file is as it was. */
export interface SettingUndo {
  /** The value that was there, as it was written; null: there was none. */
  readonly former: string | null;
  /** How many steps of the path were there already. The others go too, if nothing else is in them. */
  readonly depth: number;
  /** What was between the brackets of the place that the setting was added to, if that was blank. */
  readonly blank: string | null;
}

/** Changes single settings in the text of a file, and leaves every other byte as it is. */
export interface SettingsEditor {
  /** The settings. Throws where the text cannot be read. */
  parse(text: string): unknown;
  /** The value of a setting as it is written; undefined where it is not there. */
  written(text: string, path: SettingPath): string | undefined;
  set(text: string, path: SettingPath, value: SettingValue): { readonly text: string; readonly undo: SettingUndo };
  /** The opposite of `set`, in a file that may have changed since. With the value that was set, what was added to it by hand is known. */
  undo(text: string, path: SettingPath, undo: SettingUndo, value?: SettingValue): string;
}

const BYTE_ORDER_MARK = "\uFEFF";

/** The same editor for files that may begin with a byte order mark, which stays where it is. */
export function behindByteOrderMark(editor: SettingsEditor): SettingsEditor {
  return {
    parse: (text) => editor.parse(bare(text)),
    written: (text, path) => editor.written(bare(text), path),
    set(text, path, value) {
      const changed = editor.set(bare(text), path, value);
      return { ...changed, text: markOf(text) + changed.text };
    },
    undo: (text, path, undo, value) => markOf(text) + editor.undo(bare(text), path, undo, value),
  };
}

function markOf(text: string): string {
  return text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : "";
}

function bare(text: string): string {
  return text.slice(markOf(text).length);
}

/** One change of a file; offsets are those of the file before all changes. */
export interface Splice {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

export function applySplices(text: string, splices: readonly Splice[]): string {
  const ordered = splices.toSorted((left, right) => right.from - left.from || right.to - left.to);
  return ordered.reduce((changed, { from, to, text: put }) => changed.slice(0, from) + put + changed.slice(to), text);
}

export function lineEnd(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

/** The blanks at the beginning of the line on which an offset is. */
export function indentAt(text: string, offset: number): string {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? "";
}
