import { isDeepStrictEqual } from "node:util";
import { isJsonObject } from "@caret/protocol";
import type { SettingPath, SettingStep, SettingValue } from "@caret/protocol/recipes";

/** The value at a path of parsed settings, or undefined. */
export function valueAt(settings: unknown, path: SettingPath): unknown {
  return path.reduce<unknown>((value, step) => {
    if (typeof step === "string") return isJsonObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
    return Array.isArray(value) ? value.find((item) => isItem(item, step)) : undefined;
  }, settings);
}

/** Whether a list item is the one a step identifies. */
export function isItem(item: unknown, { item: wanted }: Exclude<SettingStep, string>): boolean {
  if (typeof wanted === "string") return item === wanted;
  return isJsonObject(item) && Object.entries(wanted).every(([name, value]) => item[name] === value);
}

/** The value to write at the first missing step, so the path leads to `value`. */
export function nested(rest: SettingPath, value: SettingValue): SettingValue {
  return rest.reduceRight<SettingValue>(
    (inner, step) => (typeof step === "string" ? { [step]: inner } : [inner]),
    value,
  );
}

/** The settings with the value at a path: the expected result of `set`. */
export function withValue(settings: unknown, path: SettingPath, value: SettingValue): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  if (typeof step === "string") {
    const members = isJsonObject(settings) ? settings : {};
    return { ...members, [step]: withValue(members[step], rest, value) };
  }
  const items: readonly unknown[] = Array.isArray(settings) ? settings : [];
  const index = items.findIndex((item) => isItem(item, step));
  const item = withValue(items[index], rest, value);
  return index === -1 ? [...items, item] : items.with(index, item);
}

/** Compares settings from different parsers, some of which create objects without a prototype. */
export function isSame(left: unknown, right: unknown): boolean {
  return isDeepStrictEqual(plain(left), plain(right));
}

function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}
