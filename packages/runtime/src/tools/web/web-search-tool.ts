import { CaretError } from "@caret/protocol";
import { defineTool, type Tool } from "../tool.ts";
import type { SearchEngine, SearchHit } from "./search-engine.ts";

const DEFAULT_COUNT = 8;
const MAX_SNIPPET_LENGTH = 1_000;

interface SearchInput {
  readonly query: string;
  readonly count?: number;
}

/** Without an engine the tool is there and says what is missing: a model that is told so stops asking. */
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
          "No search engine is configured. Set one of SearXNG (its address), Brave or Tavily (a key) in Caret's " +
            "configuration; until then use web_fetch with an address you know",
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
