import { CaretError } from "@caret/protocol";
import type { SettingPath, SettingsFormat, SettingValue } from "@caret/protocol/recipes";
import { isSame, withValue } from "../config/setting-value.ts";
import { jsoncEditor } from "./jsonc-editor.ts";
import { behindByteOrderMark, type SettingsEditor, type SettingUndo } from "./settings-editor.ts";
import { tomlEditor } from "./toml-editor.ts";
import { parseVariables } from "./variables-format.ts";
import { yamlEditor } from "./yaml-editor.ts";

/** Files of variables are Caret's own: nothing in them is edited. */
const editors: Readonly<Record<Exclude<SettingsFormat, "variables">, SettingsEditor>> = {
  jsonc: behindByteOrderMark(jsoncEditor),
  yaml: behindByteOrderMark(yamlEditor),
  toml: behindByteOrderMark(tomlEditor),
};

export function editorFor(format: SettingsFormat): SettingsEditor {
  if (format === "variables") throw new CaretError("internal", "Files of variables cannot be edited");
  return editors[format];
}

export function parseSettings(format: SettingsFormat, text: string): unknown {
  return format === "variables" ? parseVariables(text) : editors[format].parse(text);
}

/** A file without settings: what a format needs before something can be added. */
export function emptyText(format: SettingsFormat, isList: boolean): string {
  if (format !== "jsonc") return "";
  return isList ? "[]\n" : "{}\n";
}

/** Sets one value, and makes sure that nothing else has changed. */
export function setSetting(
  format: SettingsFormat,
  text: string,
  path: SettingPath,
  value: SettingValue,
): { readonly text: string; readonly undo: SettingUndo } {
  const editor = editorFor(format);
  const changed = editor.set(text, path, value);
  if (!isReadAs(format, changed.text, withValue(editor.parse(text), path, value)))
    throw new CaretError("invalid-request", "it is written in a form in which Caret cannot change single settings");
  return changed;
}

function isReadAs(format: SettingsFormat, text: string, settings: unknown): boolean {
  try {
    return isSame(parseSettings(format, text), settings);
  } catch {
    // A text that does not parse has lost its other settings too.
    return false;
  }
}
