import type { IncomingMessage, ServerResponse } from "node:http";
import { Secret } from "@caret/protocol";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { barSize } from "../../testing/bar-size.ts";
import { createToolBench, type ToolBench } from "../testing/tool-bench.ts";
import { createOutboundFetch } from "./outbound-fetch.ts";
import {
  createSearchEngine,
  createWebSearchTool,
  type SearchEngine,
  type SearchEngineConfig,
} from "./search-engine.ts";
import { startServer, type TestServer } from "./testing/web-servers.ts";
import { createWebFetchTool } from "./web-fetch-tool.ts";

const page = `<!DOCTYPE html><html><head><title>Tea &amp; cake_s</title><style>p { color: red }</style>
<script>if (a < b) alert("</p>")</script></head><body>
<h1>Tea</h1><p>Drink <b>tea</b>, <a href="../green?a=1&amp;b=2">green</a> or <a href='//other.test/x'>other</a>.</p>
<ul><li>one<ul><li>two</li></ul></li></ul>
<table><tr><th>kind</th><th>price</th></tr><tr><td><a href="/oolong">oolong</a></td><td>3</td></tr></table>
<pre><code class="language-ts">const a = "&lt;b&gt;";
  indented();</code></pre><img src="cup.png" alt="a cup"><svg><path d="M0"/></svg></body></html>`;

/** More text than a page can return, in many elements: each costs the parser time, nested ones most. */
const CHAPTERS = barSize({ quick: 1_000, full: 16_000 });
const DEPTH = barSize({ quick: 1_000, full: 3_000 });
const words = "words ".repeat(Math.ceil(100_000 / CHAPTERS));

const pages: Record<string, [type: string, body: string | Buffer, status?: number]> = {
  "/shop/tea/": ["text/html; charset=utf-8", page],
  "/latin1": ["text/html; charset=iso-8859-1", Buffer.from("<p>caf\xe9</p>", "latin1")],
  "/data.json": ["application/json", '{"a": [1, 2]}'],
  "/photo": ["image/png", Buffer.from([0x89, 0x50])],
  "/gone": ["text/html", "<p>Nobody here</p>", 404],
  "/empty": ["text/html", "<html><body></body></html>"],
  "/huge": ["text/html", `<h2>Chapter</h2><p>${words} <b>and</b> <i>more</i></p>\n`.repeat(CHAPTERS)],
  "/deep": ["text/html", `${"<div>".repeat(DEPTH)}bottom`],
};

let server: TestServer;
let asked: { method: string; url: string; headers: IncomingMessage["headers"]; body: string }[] = [];
let searchAnswer: [status: number, body: string] = [200, "{}"];

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [type, body, status = 200] = pages[request.url ?? ""] ?? [];
  if (type !== undefined) return void response.writeHead(status, { "content-type": type }).end(body);
  let text = "";
  for await (const chunk of request) text += String(chunk);
  asked.push({ method: request.method ?? "", url: request.url ?? "", headers: request.headers, body: text });
  response.writeHead(searchAnswer[0], { "content-type": "application/json" }).end(searchAnswer[1]);
}

beforeAll(async () => {
  server = await startServer((request, response) => void answer(request, response));
});

afterAll(() => server.close());

let bench: ToolBench;

function useBench(engine?: SearchEngine): void {
  const fetch = createOutboundFetch({ trustedOrigins: [server.origin] });
  bench = createToolBench({
    tools: () => [createWebFetchTool({ fetch }), createWebSearchTool(engine === undefined ? {} : { engine })],
  });
}

beforeEach(() => {
  asked = [];
});

afterEach(() => bench.remove());

describe("web_fetch", () => {
  beforeEach(() => useBench());
  const get = (path: string) => bench.call("web_fetch", { url: `${server.origin}${path}` });

  it("turns a page into markdown with its title and absolute links", async () => {
    const { origin } = server;
    expect(await get("/shop/tea/")).toEqual({
      status: "ok",
      outcomeClass: "success",
      output: `# Tea & cake_s

Source: ${origin}/shop/tea/

# Tea

Drink **tea**, [green](${origin}/shop/green?a=1&b=2) or [other](http://other.test/x).

* one
  * two

| kind | price |
| ${"-".repeat(`[oolong](${origin}/oolong)`.length)} | ----- |
| [oolong](${origin}/oolong) | 3     |

\`\`\`ts
const a = "<b>";
  indented();
\`\`\`

![a cup](${origin}/shop/tea/cup.png)`.replace("| kind |", `| ${"kind".padEnd(`[oolong](${origin}/oolong)`.length)} |`),
    });
  });

  it("answers to the name that CursorClaw gives it", async () => {
    const { output } = await bench.call("mcp_web_fetch", { url: `${server.origin}/latin1` });
    expect(output).toBe(`Source: ${server.origin}/latin1\n\ncafé`);
  });

  it("gives text that is no page as it is, and refuses what is no text", async () => {
    expect((await get("/data.json")).output).toBe(`Source: ${server.origin}/data.json\n\n{"a": [1, 2]}`);
    expect(await get("/photo")).toEqual({
      status: "error",
      output: `${server.origin}/photo is image/png, not text (2 bytes)`,
      outcomeClass: "tool_error",
    });
  });

  it("distinguishes a missing page from a found one", async () => {
    expect(await get("/gone")).toEqual({
      status: "error",
      output: `The server answered with status 404.\n\nSource: ${server.origin}/gone\n\nNobody here`,
      outcomeClass: "not_found",
    });
    expect((await get("/empty")).output).toBe(`Source: ${server.origin}/empty\n\n[There is no text.]`);
  });

  it("survives a huge page and a deep one, and says what was left out", async () => {
    expect((await get("/huge")).output).toMatch(
      /\[… cut: the output has \d+ bytes.*\[The rest was left out: it is too long\.\]$/s,
    );
    expect((await get("/deep")).output).toContain("bottom");
  });

  it("does not fetch from this machine on a model's word", async () => {
    const fetch = createOutboundFetch();
    const lonely = createToolBench({ tools: () => [createWebFetchTool({ fetch })] });
    const { outcomeClass } = await lonely.call("web_fetch", { url: "http://127.0.0.1/" });
    expect(outcomeClass).toBe("permission");
    await lonely.remove();
  });
});

describe("web_search", () => {
  const key = new Secret("the-key");
  const results = [
    { title: "Tea", url: "https://tea.test/", content: "All <strong>about</strong> tea" },
    { title: "", url: "https://untitled.test/", content: null },
  ];
  const shown =
    "1. Tea\n   https://tea.test/\n   All about tea\n\n2. https://untitled.test/\n   https://untitled.test/";

  const search = (config: SearchEngineConfig, input: object = { query: "green tea" }) => {
    useBench(createSearchEngine(config));
    return bench.call("web_search", input);
  };

  it("asks SearXNG", async () => {
    searchAnswer = [200, JSON.stringify({ results })];
    expect((await search({ engine: "searxng", url: `${server.origin}/searx/` })).output).toBe(shown);
    expect(asked.map(({ method, url }) => [method, url])).toEqual([["GET", "/searx/search?q=green+tea&format=json"]]);
  });

  it("asks Brave, with its key in a header", async () => {
    const entries = results.map(({ content, ...entry }) => ({ ...entry, description: content }));
    searchAnswer = [200, JSON.stringify({ web: { results: entries } })];
    expect((await search({ engine: "brave", key, url: server.origin }, { query: "tea", count: 2 })).output).toBe(shown);
    expect(asked.map(({ url, headers }) => [url, headers["x-subscription-token"]])).toEqual([
      ["/res/v1/web/search?q=tea&count=2", "the-key"],
    ]);
  });

  it("asks Tavily, with its key in a header", async () => {
    searchAnswer = [200, JSON.stringify({ results })];
    expect((await search({ engine: "tavily", key, url: `${server.origin}/` })).output).toBe(shown);
    expect(
      asked.map(({ method, url, headers, body }) => [method, url, headers.authorization, JSON.parse(body)]),
    ).toEqual([["POST", "/search", "Bearer the-key", { query: "green tea", max_results: 8 }]]);
  });

  it.each([
    [401, "{}", "The search engine tavily refused the key (status 401)"],
    [429, "{}", "The search engine tavily rejected the search: too many requests"],
    [500, "{}", "The search engine tavily answered with 500"],
    [200, "<html>", "The answer of tavily is not what was expected"],
    [200, '{"results": []}', "[Nothing was found.]"],
    [
      200,
      '{"results": [null, {"url": null}, {"title": 5, "url": "https://a.example/"}]}',
      "1. https://a.example/\n   https://a.example/",
    ],
  ])("understands status %i with %s", async (status, body, output) => {
    searchAnswer = [status, body];
    expect((await search({ engine: "tavily", key, url: `${server.origin}/` })).output).toBe(output);
  });

  it("says what to configure when there is no engine", async () => {
    useBench();
    const { status, output } = await bench.call("mcp_web_search", { query: "tea" });
    expect({
      status,
      saysWhatToSet: output.startsWith("No search engine is configured. The user can set `tools.webSearch.engine`"),
    }).toEqual({
      status: "error",
      saysWhatToSet: true,
    });
  });
});
