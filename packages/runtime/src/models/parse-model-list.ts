import { stripVTControlCharacters } from "node:util";
import type { ApiModel } from "./model-spellings.ts";

/** Zero-width characters, which Cursor puts into some models' names. */
const invisible = /[\u200b-\u200f\u2060-\u2064\ufeff\u00ad]/g;

export interface ListedModel {
  readonly id: string;
  readonly name: string;
  readonly isCurrent: boolean;
  readonly isDefault: boolean;
  /** Details available only from Cursor's API. */
  readonly details?: ModelDetails | undefined;
}

export interface ModelDetails {
  /** How a run requests it: upstream's own name, with parameters. */
  readonly upstream?: ApiModel | undefined;
  readonly maxMode?: boolean | undefined;
  readonly contextTokens?: number | undefined;
  readonly images?: boolean | undefined;
}

const ESCAPE = String.fromCharCode(0x1b);
/** Sequences that move the cursor or erase: they start a new line even without a newline. */
const cursorMovement = new RegExp(`${ESCAPE}\\[[0-9;]*[A-HJKf]|\\r`, "g");
const modelLine = /^\s*([A-Za-z0-9][\w.:/[\]=,-]*) - (.*)$/;
/** Only these two words are marks; any other parenthesis is part of the model's name. */
const mark = /^\s*((?:current|default)(?:\s*,\s*(?:current|default))*)\s*$/i;

/** Parses the output of `agent models`. Lines that are not models (headings, tips, spinners) are skipped. */
export function parseModelList(text: string): readonly ListedModel[] {
  const models = new Map<string, ListedModel>();
  for (const line of stripVTControlCharacters(text.replaceAll(cursorMovement, "\n")).split("\n")) {
    const model = parseLine(line);
    if (model === undefined) continue;
    const seen = models.get(model.id);
    models.set(model.id, seen === undefined ? model : mergeMarks(seen, model));
  }
  return [...models.values()];
}

function parseLine(line: string): ListedModel | undefined {
  const [, id, label] = modelLine.exec(line) ?? [];
  if (id === undefined || label === undefined) return undefined;
  const marks = new Set<string>();
  let name = visibleName(label);
  for (let words = trailingMark(name); words !== undefined; words = trailingMark(name)) {
    for (const word of words.toLowerCase().split(",")) marks.add(word.trim());
    name = name.slice(0, name.lastIndexOf("(")).trimEnd();
  }
  return { id, name: name === "" ? id : name, isCurrent: marks.has("current"), isDefault: marks.has("default") };
}

/** Searched from the end, so a name with many marks is read once. */
function trailingMark(name: string): string | undefined {
  const at = name.endsWith(")") ? name.lastIndexOf("(") : -1;
  return at === -1 ? undefined : mark.exec(name.slice(at + 1, -1))?.[1];
}

function mergeMarks(seen: ListedModel, again: ListedModel): ListedModel {
  return {
    ...seen,
    isCurrent: seen.isCurrent || again.isCurrent,
    isDefault: seen.isDefault || again.isDefault,
  };
}

/** A name as people see it: names that look alike become equal. */
export function visibleName(name: string): string {
  return name.replaceAll(invisible, "").replaceAll(/\s+/g, " ").trim();
}
