import type { SettingPath, SettingValue } from "@caret/protocol/recipes";
import { continueList, droidList } from "./common-lists.ts";
import type { ListedModel } from "./listed-model.ts";

export type Entry = Readonly<Record<string, unknown>>;

/** What a sync writes for a model. */
export type WrittenEntry = Readonly<Record<string, SettingValue>>;

/** How one client lists a provider's models in its settings. */
export interface ClientList {
  readonly id: string;
  readonly name: string;
  readonly format: "jsonc" | "yaml";
  /** Places its list can be: the provider's object and the list's key in it. */
  readonly places: readonly { readonly provider: readonly string[]; readonly list: string }[];
  /**
   * For a client with one list for all providers, each entry of which has an address and a token: the fields our entries have in common. An
   * entry is ours by its token.
   */
  readonly common?: readonly string[];
  /** A map by id: `{"gpt-5": {…}}`; or a list with the id in this field: `[{"id": "gpt-5", …}]`. */
  readonly idField?: string;
  /** Whether one entry can represent a family with its variants. */
  readonly hasVariants: boolean;
  /** The fields a sync writes; the rest of an entry is the user's. */
  readonly toEntry: (model: ListedModel) => WrittenEntry;
  /** Fields that a sync only adds if missing: any change to them was deliberate. */
  readonly once: readonly string[];
  /** Where the provider states the gateway's address. */
  readonly urlFields: readonly SettingPath[];
  /** Models that the rest of the file names as `provider/model`; their entries stay. */
  readonly mentions: (settings: Entry) => readonly string[];
}

/** OpenCode wants both limits or none. It sends the second as `max_tokens`, which ends no turn of an agent. */
const OUTPUT_TOKENS = 8000;

/** Zed's file requires a value even if upstream reports none; the same as in the recipe of `caret connect zed`. */
const ZED_TOKENS = 200_000;

/** Our provider's name, and the one open-cursor used. */
const providers = ["caret", "cursor-acp"] as const;

export const clientLists: readonly ClientList[] = [
  openCodeStyle("opencode", "OpenCode"),
  openCodeStyle("kilo", "Kilo"),
  {
    id: "pi",
    name: "Pi",
    format: "jsonc",
    places: [{ provider: ["providers", "caret"], list: "models" }],
    idField: "id",
    hasVariants: false,
    once: ["name", "contextWindow"],
    toEntry: ({ id, name, price, contextTokens }) => ({
      id,
      name,
      ...(contextTokens === undefined ? {} : { contextWindow: contextTokens }),
      // Pi adds up all four, so three would yield a wrong sum.
      ...(price?.cacheRead === undefined || price.cacheWrite === undefined
        ? {}
        : {
            cost: {
              input: price.input,
              output: price.output,
              cacheRead: price.cacheRead,
              cacheWrite: price.cacheWrite,
            },
          }),
    }),
    urlFields: [["baseUrl"]],
    mentions: () => [],
  },
  {
    id: "zed",
    name: "Zed",
    format: "jsonc",
    places: [{ provider: ["language_models", "openai_compatible", "caret"], list: "available_models" }],
    idField: "name",
    hasVariants: false,
    once: ["display_name", "max_tokens", "capabilities"],
    toEntry: ({ id, name, contextTokens = ZED_TOKENS }) => ({
      name: id,
      display_name: name,
      max_tokens: contextTokens,
      capabilities: { tools: true },
    }),
    urlFields: [["api_url"]],
    mentions: () => [],
  },
  continueList,
  droidList,
];

/** OpenCode 2 reads `providers` in addition to version 1's `provider`. */
function openCodeStyle(id: string, name: string): ClientList {
  return {
    id,
    name,
    format: "jsonc",
    places: providers.flatMap((provider) =>
      ["provider", "providers"].map((root) => ({ provider: [root, provider], list: "models" })),
    ),
    hasVariants: true,
    once: ["name", "limit"],
    toEntry: ({ name: shown, price, contextTokens, family }) => ({
      name: shown,
      ...(price === undefined ? {} : { cost: toCost(price) }),
      ...(contextTokens === undefined ? {} : { limit: { context: contextTokens, output: OUTPUT_TOKENS } }),
      ...(family === undefined ? {} : familyFields(family)),
    }),
    urlFields: [
      ["options", "baseURL"],
      ["settings", "baseURL"],
    ],
    mentions: openCodeMentions,
  };
}

function familyFields({ target, variants }: NonNullable<ListedModel["family"]>): WrittenEntry {
  const named = [...variants].map(([variant, cursorModel]) => [variant, { cursorModel }] as const);
  return { options: { cursorModel: target }, variants: Object.fromEntries(named) };
}

/**
 * OpenCode knows one threshold, 200,000 tokens. Cursor's is higher for some models: between the two OpenCode shows too much, never too
 * little.
 */
function toCost({ input, output, cacheRead, cacheWrite, longPrompt }: NonNullable<ListedModel["price"]>): WrittenEntry {
  const cost = {
    input,
    output,
    ...(cacheRead === undefined ? {} : { cache_read: cacheRead }),
    ...(cacheWrite === undefined ? {} : { cache_write: cacheWrite }),
  };
  if (longPrompt === undefined) return cost;
  return {
    ...cost,
    context_over_200k: {
      input: longPrompt.input,
      output: longPrompt.output,
      ...(longPrompt.cacheRead === undefined ? {} : { cache_read: longPrompt.cacheRead }),
      ...(longPrompt.cacheWrite === undefined ? {} : { cache_write: longPrompt.cacheWrite }),
    },
  };
}

/** The file's default models, and those of its agents, modes and commands. */
function openCodeMentions(settings: Entry): readonly string[] {
  const nested = ["agent", "agents", "mode", "command"].flatMap((key) => Object.values(asEntry(settings[key]) ?? {}));
  const named = [settings["model"], settings["small_model"], ...nested.map((value) => asEntry(value)?.["model"])];
  return named.filter((name) => typeof name === "string");
}

export function asEntry(value: unknown): Entry | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Entry) : undefined;
}
