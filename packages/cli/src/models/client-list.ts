import type { SettingPath, SettingValue } from "@caret/protocol/recipes";
import { continueList, droidList } from "./common-lists.ts";
import type { ListedModel } from "./listed-model.ts";

export type Entry = Readonly<Record<string, unknown>>;

/** What a sync writes of a model. */
export type WrittenEntry = Readonly<Record<string, SettingValue>>;

/** How one client lists the models of a provider in its settings. */
export interface ClientList {
  readonly id: string;
  readonly name: string;
  readonly format: "jsonc" | "yaml";
  /** Where its list may stand: the provider's own object, and in it the list. */
  readonly places: readonly { readonly provider: readonly string[]; readonly list: string }[];
  /**
   * For a client with one list for all providers, each entry of which has an address and a token: the fields that ours have in
   * common. An entry is ours by its token.
   */
  readonly common?: readonly string[];
  /** By id: `{"gpt-5": {…}}`; or one after the other, the id in a field: `[{"id": "gpt-5", …}]`. */
  readonly idField?: string;
  /** Whether one entry can stand for a family, with its variants. */
  readonly hasVariants: boolean;
  /** What a sync writes; the rest of an entry is the user's. */
  readonly toEntry: (model: ListedModel) => WrittenEntry;
  /** Of these a sync writes only what is missing: who changed them meant it. */
  readonly once: readonly string[];
  /** Where the provider names the gateway's address. */
  readonly urlFields: readonly SettingPath[];
  /** Where else in the file a model is named as `provider/model`: an entry that is named stays. */
  readonly mentions: (settings: Entry) => readonly string[];
}

/** OpenCode wants both limits or none. It sends the second as `max_tokens`, which ends no turn of an agent. */
const OUTPUT_TOKENS = 8000;

/** What Zed's file must state where upstream does not report it; as in the recipe of `caret connect zed`. */
const ZED_TOKENS = 200_000;

/** The name of our provider, and the one that open-cursor used. */
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
      // Pi adds all four up, so three of them would be a wrong sum.
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

/** Version 2 of OpenCode reads `providers` beside the `provider` of version 1. */
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
 * OpenCode knows one threshold, 200,000 tokens. Cursor's is higher for some models: between the two OpenCode shows too much,
 * never too little.
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

/** The default models of the file, and those of its agents, modes and commands. */
function openCodeMentions(settings: Entry): readonly string[] {
  const nested = ["agent", "agents", "mode", "command"].flatMap((key) => Object.values(asEntry(settings[key]) ?? {}));
  const named = [settings["model"], settings["small_model"], ...nested.map((value) => asEntry(value)?.["model"])];
  return named.filter((name) => typeof name === "string");
}

export function asEntry(value: unknown): Entry | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Entry) : undefined;
}
