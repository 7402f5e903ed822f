import { parseJson, type SettingView } from "@caret/protocol";

/** A value as a form shows it. A secret is never there to be shown. */
export function settingText({ kind, value, secret }: SettingView): string {
  if (value === undefined || secret === true) return "";
  if (kind === "list") return (value as readonly string[]).join("\n");
  if (kind === "json") return JSON.stringify(value, undefined, 2);
  return String(value);
}

export type TypedSetting = { readonly value: unknown } | { readonly problem: string };

const NUMBER = /^-?\d+(?:\.\d+)?$/;

/** What was typed, as the file has it. Whether it is allowed there, the gateway says. */
export function typedSetting({ kind }: Pick<SettingView, "kind">, typed: string): TypedSetting {
  const text = typed.trim();
  switch (kind) {
    case "number":
      return NUMBER.test(text) ? { value: Number(text) } : { problem: "Write a number." };
    case "flag":
      return { value: text === "true" };
    case "list":
      return {
        value: text
          .split("\n")
          .map((line) => line.trim())
          .filter((line) => line !== ""),
      };
    case "json": {
      const value = parseJson(text);
      return value === undefined ? { problem: "Write JSON." } : { value };
    }
    default:
      return text === "" ? { problem: "Write something, or take it out of the file." } : { value: text };
  }
}

/** Why a setting cannot be changed here; undefined: it can. */
export function whyFixed({ from, source, inFileOnly }: SettingView, file: string): string | undefined {
  if (inFileOnly === true) return `It has secrets in it. Edit \`${file}\`.`;
  if (from === "flag" || from === "variable") return `\`${source}\` sets it, and counts before the file.`;
  return from === "project" ? `\`${source}\` sets it, and counts before your own file.` : undefined;
}

/** The settings in their groups, `budgets` for `budgets.day.usd`, by words that are in the key or the meaning. */
export function groupedSettings(
  settings: readonly SettingView[],
  search: string,
): readonly (readonly [group: string, settings: readonly SettingView[]])[] {
  const words = search.toLowerCase().split(/\s+/);
  const found = settings.filter(({ key, meaning }) => {
    const text = `${key} ${meaning}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  return [...Map.groupBy(found, ({ key }) => (key.includes(".") ? (key.split(".")[0] ?? "") : "general"))];
}
