import { isJsonObject } from "@caret/protocol";
import type { ClientList } from "./client-list.ts";

/** Prefix of every gateway token. */
const TOKEN_PREFIX = "caret_";

/** Clients with one list for all providers: every entry has an address and a token. */
export const continueList: ClientList = {
  id: "continue",
  name: "Continue",
  format: "yaml",
  places: [{ provider: [], list: "models" }],
  common: ["provider", "apiBase", "apiKey", "roles"],
  idField: "model",
  hasVariants: false,
  once: ["name", "defaultCompletionOptions"],
  toEntry: ({ id, name, contextTokens }) => ({
    name,
    model: id,
    ...(contextTokens === undefined ? {} : { defaultCompletionOptions: { contextLength: contextTokens } }),
  }),
  urlFields: [["apiBase"]],
  mentions: () => [],
};

export const droidList: ClientList = {
  id: "droid",
  name: "Droid",
  format: "jsonc",
  places: [{ provider: [], list: "customModels" }],
  common: ["provider", "baseUrl", "apiKey", "maxOutputTokens"],
  idField: "model",
  hasVariants: false,
  once: ["displayName"],
  toEntry: ({ id, name }) => ({ model: id, displayName: name }),
  urlFields: [["baseUrl"]],
  // The default is `custom:MODEL`, whichever provider's entry has that model.
  mentions: ({ model, customModels }) => {
    const name = typeof model === "string" ? model.replace(/^custom:/, "") : undefined;
    return ownEntries(customModels).some((entry) => entry["model"] === name) ? [`caret/${name}`] : [];
  },
};

/** The entries of such a list that hold a Caret token. */
export function ownEntries(list: unknown): readonly Readonly<Record<string, unknown>>[] {
  const entries: readonly unknown[] = Array.isArray(list) ? list : [];
  return entries.filter(
    (entry): entry is Readonly<Record<string, unknown>> =>
      isJsonObject(entry) && String(entry["apiKey"]).startsWith(TOKEN_PREFIX),
  );
}
