import { once } from "node:events";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { tryCommand } from "../testing/try-command.ts";
import { addRunCommand } from "./run.ts";

let directory: string;
let engine: Server;
let address: string;
let asked: { readonly path: string | undefined; readonly headers: IncomingHttpHeaders }[] = [];

/** One hit, in the words of each engine: they all read what they know and pass over the rest. */
const hit = { title: "Caret", url: "https://caret.test/", content: "A gateway", description: "A gateway" };

beforeAll(async () => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "caret-run-search-")));
  const turns = [
    { steps: [{ tool: { server: "caret", name: "web_search", args: { query: "caret" } } }, { text: "." }] },
  ];
  writeFileSync(join(directory, "scenario.json"), JSON.stringify({ turns }));
  engine = createServer((request, response) => {
    asked.push({ path: request.url, headers: request.headers });
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ results: [hit], web: { results: [hit] } }));
  }).listen(0, "127.0.0.1");
  await once(engine, "listening");
  address = `http://127.0.0.1:${(engine.address() as AddressInfo).port}/below`;
});
afterAll(() => {
  engine.close();
  rmSync(directory, { recursive: true, force: true });
});

async function searchWith(settings: Readonly<Record<string, string>>): Promise<string> {
  asked = [];
  const env = {
    CARET_DATA_DIR: join(directory, "data"),
    CARET_LANE: "sim",
    CARET_SPAWNER_ENABLED: "false",
    CARET_SIM_SCENARIO: join(directory, "scenario.json"),
    CARET_TOOLS_OWNER: "gateway",
    CARET_TOOLS_POLICY: "full",
    PATH: process.env["PATH"] ?? "",
    ...settings,
  };
  const { stdout } = await tryCommand(addRunCommand, ["run", "--json", "search"], { cwd: directory, env });
  const results = stdout
    .split("\n")
    .filter((line) => line.includes('"tool-result"'))
    .map((line) => JSON.parse(line) as { readonly output: string });
  return results.map(({ output }) => output).join();
}

const shown = "1. Caret\n   https://caret.test/\n   A gateway";

it.each([
  ["searxng", {}, "/below/search?q=caret&format=json", undefined],
  [
    "brave",
    { CARET_TOOLS_WEB_SEARCH_KEY: "k-e-y" },
    "/below/res/v1/web/search?q=caret&count=8",
    "x-subscription-token",
  ],
  ["tavily", { CARET_TOOLS_WEB_SEARCH_KEY: "k-e-y" }, "/below/search", "authorization"],
])("web_search asks %s where the settings name it", async (name, more, path, keyHeader) => {
  const output = await searchWith({
    CARET_TOOLS_WEB_SEARCH_ENGINE: name,
    CARET_TOOLS_WEB_SEARCH_URL: address,
    ...more,
  });
  const keys = asked.map(({ headers }) => (keyHeader === undefined ? undefined : headers[keyHeader]));
  expect([output, asked.map((request) => request.path), keys]).toEqual([
    shown,
    [path],
    [keyHeader === undefined ? undefined : expect.stringMatching(/^(?:Bearer )?k-e-y$/)],
  ]);
});

it("names the settings where none is set", async () => {
  expect(await searchWith({})).toContain("set `tools.webSearch.engine` to `searxng`");
});

it.each([
  [{ CARET_TOOLS_WEB_SEARCH_ENGINE: "searxng" }, "searxng needs its url"],
  [{ CARET_TOOLS_WEB_SEARCH_ENGINE: "brave" }, "brave needs its key"],
])("refuses %j before a turn", async (settings, words) => {
  await expect(searchWith(settings)).rejects.toThrow(words);
});
