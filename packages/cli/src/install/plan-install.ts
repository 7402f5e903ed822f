import { isDeepStrictEqual } from "node:util";
import { CaretError } from "@caret/protocol";
import { type Installation, isOwnFile, type OwnFile, type Setting, type SharedFile } from "@caret/protocol/recipes";
import { digestText, type FileDrafts, PRIVATE } from "./file-drafts.ts";
import type { ReceiptFile, ReceiptSetting } from "./receipt.ts";
import { editorFor, emptyText, setSetting } from "./settings-editors.ts";

export interface InstallPlan {
  readonly installation: Installation;
  readonly isDefault: boolean;
  readonly pathOf: (file: OwnFile | SharedFile) => string;
}

/** A file of the receipt, before its backup is made. */
export interface PlannedFile extends Omit<ReceiptFile, "backup"> {
  readonly before: string | undefined;
}

/** Drafts every change of an installation. Throws before anything is written if one of them is not possible. */
export function planInstall(
  drafts: FileDrafts,
  { installation, isDefault, pathOf }: InstallPlan,
): readonly PlannedFile[] {
  const all = [...installation.files, ...(isDefault ? (installation.defaults ?? []) : [])];
  const paths = [...new Set(all.map(pathOf))];
  return paths.map((path) => {
    const files = all.filter((file) => pathOf(file) === path);
    const own = files.find(isOwnFile);
    return own === undefined ? planShared(drafts, path, files as readonly SharedFile[]) : planOwn(drafts, path, own);
  });
}

function planOwn(drafts: FileDrafts, path: string, { text, format }: OwnFile): PlannedFile {
  const before = drafts.read(path);
  const mode = drafts.mode(path) ?? null;
  drafts.write(path, text, PRIVATE);
  return { path, format, isOwn: true, sha256: digestText(text), mode, settings: [], before };
}

function planShared(drafts: FileDrafts, path: string, files: readonly SharedFile[]): PlannedFile {
  const [{ format }] = files as readonly [SharedFile];
  const before = drafts.read(path);
  const mode = drafts.mode(path) ?? null;
  const settings = chosen(files.flatMap((file) => file.settings));
  const isList = typeof settings[0]?.path[0] === "object";
  const start = before === undefined || before.trim() === "" ? emptyText(format, isList) : before;
  readable(path, () => editorFor(format).parse(start));
  let text = start;
  const written: ReceiptSetting[] = [];
  for (const setting of settings) {
    const next = changeable(path, () => put(text, setting, format));
    text = next.text;
    written.push(...next.written);
  }
  const hasToken = files.some((file) => file.hasToken === true);
  drafts.write(path, text, hasToken || mode === null ? PRIVATE : mode);
  return { path, format, isOwn: false, sha256: digestText(text), mode, settings: written, before };
}

/** A setting that is written replaces one of the same path that is only given back. */
function chosen(settings: readonly Setting[]): readonly Setting[] {
  return settings.filter(
    ({ path, value }) =>
      value !== undefined ||
      !settings.some((other) => other.value !== undefined && isDeepStrictEqual(other.path, path)),
  );
}

function put(
  text: string,
  { path, value, prefix, isOnlyAdded }: Setting,
  format: SharedFile["format"],
): { readonly text: string; readonly written: readonly ReceiptSetting[] } {
  const former = editorFor(format).written(text, path);
  const known = { path: [...path], ...(prefix === undefined ? {} : { prefix }) } as Pick<
    ReceiptSetting,
    "path" | "prefix"
  >;
  if (value === undefined)
    return { text, written: [{ ...known, undo: { former: former ?? null, depth: path.length - 1, blank: null } }] };
  if (isOnlyAdded === true && former !== undefined) return { text, written: [] };
  const changed = setSetting(format, text, path, value);
  return { text: changed.text, written: [{ ...known, value: value as ReceiptSetting["value"], undo: changed.undo }] };
}

/** A file with settings in the way of ours is not touched, and neither is any other. */
export function changeable<Value>(path: string, change: () => Value): Value {
  try {
    return change();
  } catch (reason) {
    throw new CaretError("invalid-request", `${path} cannot be changed: ${(reason as Error).message}`, {
      cause: reason,
      fix: "Nothing was changed. `caret connect` prints the settings: write them into the file yourself.",
    });
  }
}

/** A file that does not parse is not touched, and neither is any other. */
export function readable<Value>(path: string, parse: () => Value): Value {
  try {
    return parse();
  } catch (reason) {
    throw new CaretError("invalid-request", `${path} cannot be read: ${(reason as Error).message.split("\n")[0]}`, {
      cause: reason,
      fix: "Nothing was changed. Repair the file first.",
    });
  }
}
