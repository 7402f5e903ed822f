import { CaretError, parseJson, type Secret } from "@caret/protocol";
import { z } from "zod";
import { defineTool, type Tool } from "../tool.ts";
import { createOutboundFetch, type OutboundRequest } from "./outbound-fetch.ts";

const DEFAULT_COUNT = 8;

const MAX_SNIPPET_LENGTH = 1_000;

interface SearchHit {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
}

/** Finds pages by words. */
export type SearchEngine = (query: string, count: number, signal: AbortSignal) => Promise<readonly SearchHit[]>;

export type SearchEngineConfig =
  | { readonly engine: "searxng"; readonly url: string }
  /** `url` replaces the engine's public address. */
  | { readonly engine: "brave" | "tavily"; readonly key: Secret; readonly url?: string | undefined };

type Asked = Omit<OutboundRequest, "signal">;

interface Dialect {
  ask(query: string, count: number): Asked;
  /** Parses the hits from the engine's response. */
  readonly answer: z.ZodType<readonly SearchHit[]>;
}

/** An entry needs only its URL; entries without one are dropped individually. */
function hitsOf(entries: readonly unknown[], snippet: "content" | "description"): readonly SearchHit[] {
  return entries.flatMap((entry) => {
    const { data } = entrySchema.safeParse(entry);
    if (data === undefined) return [];
    return [{ title: data.title || data.url, url: data.url, snippet: data[snippet] }];
  });
}

const words = z.string().catch("");
const entrySchema = z.object({ title: words, url: z.string().min(1), content: words, description: words });

const contentHits = z.object({ results: z.array(z.unknown()) }).transform(({ results }) => hitsOf(results, "content"));

const braveHits = z
  .object({ web: z.object({ results: z.array(z.unknown()) }).nullish() })
  .transform(({ web }) => hitsOf(web?.results ?? [], "description"));

/** The operator's own engine can be in a private network: its origin, and only that, is trusted. */
export function createSearchEngine(config: SearchEngineConfig): SearchEngine {
  const { ask, answer } = dialectOf(config);
  const fetch = createOutboundFetch({
    trustedOrigins: config.url === undefined ? [] : [new URL(config.url).origin],
  });
  return async (query, count, signal) => {
    const response = await fetch({ ...ask(query, count), signal });
    if (response.status === 401 || response.status === 403)
      throw new CaretError("bad-key", `The search engine ${config.engine} refused the key (status ${response.status})`);
    if (response.status === 429)
      throw new CaretError("rate-limited", `The search engine ${config.engine} rejected the search: too many requests`);
    if (response.status !== 200)
      throw new CaretError("upstream-error", `The search engine ${config.engine} answered with ${response.status}`);
    const parsed = answer.safeParse(parseJson(response.bytes.toString("utf8")));
    if (!parsed.success)
      throw new CaretError("protocol-drift", `The answer of ${config.engine} is not what was expected`, {
        cause: parsed.error,
      });
    return parsed.data.slice(0, count);
  };
}

function dialectOf(config: SearchEngineConfig): Dialect {
  switch (config.engine) {
    case "searxng":
      return {
        ask: (query) => ({ url: withQuery(below(config.url, "search"), { q: query, format: "json" }) }),
        answer: contentHits,
      };
    case "brave":
      return {
        ask: (query, count) => ({
          url: withQuery(below(config.url ?? "https://api.search.brave.com", "res/v1/web/search"), {
            q: query,
            count: String(count),
          }),
          headers: { "x-subscription-token": config.key.reveal(), accept: "application/json" },
        }),
        answer: braveHits,
      };
    case "tavily":
      return {
        ask: (query, count) => ({
          url: below(config.url ?? "https://api.tavily.com", "search").href,
          method: "POST",
          headers: { authorization: `Bearer ${config.key.reveal()}`, "content-type": "application/json" },
          body: JSON.stringify({ query, max_results: count }),
        }),
        answer: contentHits,
      };
  }
}

/** Appends a path to a URL that may already have one. */
function below(address: string, path: string): URL {
  const url = new URL(address);
  url.pathname = `${url.pathname.replace(/\/$/, "")}/${path}`;
  return url;
}

function withQuery(url: URL, parameters: Readonly<Record<string, string>>): string {
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

interface SearchInput {
  readonly query: string;
  readonly count?: number;
}

/** Without an engine the tool still exists and says what is missing, so the model stops calling it. */
export function createWebSearchTool({ engine }: { readonly engine?: SearchEngine }): Tool {
  return defineTool<SearchInput>({
    name: "web_search",
    aliases: ["mcp_web_search"],
    description: "Search the web. Returns titles, addresses and short extracts; read a page with web_fetch.",
    kind: "search",
    inputSchema: {
      type: "object",
      properties: {
        query: { type: "string", minLength: 1, maxLength: 1_000 },
        count: { type: "integer", minimum: 1, maximum: 20, description: `${DEFAULT_COUNT} by default.` },
      },
      required: ["query"],
      additionalProperties: false,
    },
    async run({ query, count = DEFAULT_COUNT }, { signal }) {
      if (engine === undefined)
        throw new CaretError(
          "unsupported",
          "No search engine is configured. The user can set `tools.webSearch.engine` to `searxng` (with its address in " +
            "`tools.webSearch.url`), `brave` or `tavily` (with a key in `tools.webSearch.key`); until then use web_fetch " +
            "with an address you know",
        );
      const hits = await engine(query, count, signal);
      return { output: hits.map(toEntry).join("\n\n") || "[Nothing was found.]" };
    },
  });
}

function toEntry({ title, url, snippet }: SearchHit, index: number): string {
  const plain = snippet
    .replaceAll(/<[^<>]*>/g, "")
    .trim()
    .slice(0, MAX_SNIPPET_LENGTH);
  return `${index + 1}. ${title}\n   ${url}${plain === "" ? "" : `\n   ${plain}`}`;
}
