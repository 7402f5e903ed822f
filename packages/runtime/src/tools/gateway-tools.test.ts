import { toolKinds } from "@caret/protocol";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createGatewayTools } from "./gateway-tools.ts";
import { createToolBench, type ToolBench } from "./testing/tool-bench.ts";
import type { Tool } from "./tool.ts";
import { createOutboundFetch } from "./web/outbound-fetch.ts";

let bench: ToolBench;
let tools: readonly Tool[];

beforeEach(() => {
  bench = createToolBench({
    tools: (outputs) => {
      tools = createGatewayTools({ outputs, fetch: createOutboundFetch() });
      return tools;
    },
  });
});

afterEach(() => bench.remove());

it("has every tool that agents and their plugins know, by every name", () => {
  const names = tools.flatMap(({ name, aliases = [] }) => [name, ...aliases]).sort();
  expect(names).toEqual(
    [
      ["exec", "bash", "shell", "read_output"],
      ["read", "write", "edit", "grep", "glob", "ls", "mkdir", "rm", "stat"],
      ["web_fetch", "mcp_web_fetch", "web_search", "mcp_web_search"],
    ]
      .flat()
      .sort(),
  );
});

it("describes each of them, and refuses what their schemas do not know", async () => {
  expect(tools.filter(({ description, kind }) => description === "" || !toolKinds.includes(kind))).toEqual([]);
  const results = await Promise.all(tools.map(({ name }) => bench.call(name, { surprise: true })));
  expect(results.map(({ status, outcomeClass }) => `${status} ${outcomeClass}`)).toEqual(
    tools.map(() => "rejected validation"),
  );
});

it("lets one tool use what another made", async () => {
  await bench.call("write", { path: "src/a.txt", content: "one\ntwo\n" });
  await bench.call("edit", { path: "src/a.txt", old_string: "two", new_string: "three" });
  expect((await bench.call("bash", { command: "cat src/a.txt" })).output).toBe("one\nthree\n");
});
