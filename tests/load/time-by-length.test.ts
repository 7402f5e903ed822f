import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { barSize } from "@caret/runtime/testing/bar-size.ts";
import { eventually } from "@caret/runtime/testing/eventually.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { GatewayHome } from "../clients/gateway-home.ts";
import { type GatewayProcess, startGateway } from "../clients/gateway-process.ts";

const LENGTH = 100_000;
/** Of processor time in one go, after which the gateway looks at its other streams again. */
const MOST_MS = 100;

let home: GatewayHome;
let gateway: GatewayProcess;
let bursts: string;
beforeAll(async () => {
  home = new GatewayHome();
  bursts = join(home.directory, "bursts");
  const measure = fileURLToPath(new URL("longest-burst.mjs", import.meta.url));
  gateway = await startGateway(home, {
    env: { NODE_OPTIONS: `--import ${measure}`, CARET_TEST_BURSTS: bursts },
  });
  // What a first request loads and compiles is no cost of its length.
  for (const path of ["/v1/chat/completions", "/v1/messages", "/v1/responses"]) await post(path, plain(path, "hello"));
  await longestBurst();
});
afterAll(async () => {
  await gateway.stop();
  home.remove();
});

async function longestBurst(): Promise<number> {
  rmSync(bursts, { force: true });
  process.kill(gateway.pid, "SIGUSR2");
  await eventually(() => existsSync(bursts), "the gateway has written its longest burst");
  return Number(readFileSync(bursts, "utf8"));
}

async function post(path: string, body: unknown): Promise<number> {
  const response = await fetch(new URL(path, gateway.url), {
    method: "POST",
    headers: { authorization: `Bearer ${gateway.token}`, "content-type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  await response.arrayBuffer();
  return response.status;
}

const repeat = (piece: string, length = LENGTH): string => piece.repeat(Math.ceil(length / piece.length));
const list = <Item>(size: number, item: (index: number) => Item): readonly Item[] =>
  Array.from({ length: Math.floor(LENGTH / size) }, (_, index) => item(index));
const user = (content: unknown) => ({ role: "user", content });

function plain(path: string, content: string): object {
  return path === "/v1/responses"
    ? { model: "auto", input: content }
    : { model: "auto", max_tokens: 100, messages: [user(content)] };
}

const chat = (messages: unknown, more: object = {}) =>
  ["/v1/chat/completions", { model: "auto", messages, ...more }] as const;
const tool = (name: string, parameters: object) => ({ type: "function", function: { name, parameters } });
const object = { type: "object" };

const hostile: Readonly<Record<string, readonly [path: string, body: unknown]>> = {
  "a tag of many parts": chat([user(`<a-${repeat("a-")}`)]),
  "tags that end no line": chat([user(repeat("<env>\n", LENGTH / 2) + repeat("</env>x\n", LENGTH / 2))]),
  "tags that are never closed": chat([user(list(14, (index) => `<reminder${index}>`).join("\n"))]),
  "a branch in the instructions": chat([{ role: "system", content: `## ${repeat("...[")}` }, user("a")]),
  "dates in the instructions": chat([{ role: "system", content: repeat("Monday, 1 January ") }, user("a")]),
  "many messages": chat(list(40, (index) => user(`a${index}`))),
  "many parts": chat([user(list(30, () => ({ type: "text", text: "a" })))]),
  "many tools": chat([user("a")], { tools: list(100, (index) => tool(`t${index}`, object)) }),
  "many rounds of tools": chat(
    [
      user("a"),
      ...list(200, (index) => [
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: `c${index}`, type: "function", function: { name: "t", arguments: "{}" } }],
        },
        { role: "tool", tool_call_id: `c${index}`, content: "x" },
      ]).flat(),
      user("b"),
    ],
    { tools: [tool("t", object)] },
  ),
  "a wide schema": chat([user("a")], {
    tools: [tool("t", { ...object, properties: Object.fromEntries(list(30, (index) => [`p${index}`, object])) })],
  }),
  "a body that is nested": ["/v1/chat/completions", repeat("[")],
  "a user's id with many marks": [
    "/v1/messages",
    { model: "auto", max_tokens: 9, messages: [user("a")], metadata: { user_id: `${repeat("_session_")}\n` } },
  ],
  "many items": ["/v1/responses", { model: "auto", input: list(40, (index) => user(`a${index}`)) }],
  "a long name of a model": chat([user("a")], { model: repeat("[=") }),
};

it.each(Object.entries(hostile).slice(0, barSize({ quick: 5, full: Object.keys(hostile).length })))(
  "100 kB of one kind do not stop the gateway: %s",
  async (_name, [path, body]) => {
    expect([200, 400, 404]).toContain(await post(path, body));
    expect(await longestBurst()).toBeLessThan(MOST_MS);
  },
);
