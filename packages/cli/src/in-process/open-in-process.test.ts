import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startUpstream, type Upstream } from "@caret/simulator/upstream";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type InProcess, openInProcess } from "./open-in-process.ts";

let directory: string;
let upstream: Upstream;
let caret: InProcess;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "caret-in-process-"));
  upstream = await startUpstream({
    scenario: { turns: [{ when: "^Wait", steps: [{ text: "I wait." }, { hang: true }] }] },
  });
  const env = { CURSOR_AGENT_URL: upstream.url, CURSOR_API_KEY: "key_of_a_test", CARET_DATA_DIR: directory };
  const { platform } = process;
  caret = await openInProcess({ env, cwd: directory, home: directory, platform, uid: process.getuid?.() });
});
afterEach(async () => {
  await caret.close();
  await upstream.close();
  rmSync(directory, { recursive: true });
});

interface Item {
  readonly type: string;
  readonly call_id?: string;
  readonly arguments?: string;
  readonly content?: readonly { readonly text: string }[];
}

function ask(body: object, signal?: AbortSignal): Promise<Response> {
  return caret.fetch(`${caret.baseUrl}/v1/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${caret.token}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "auto", ...body }),
    ...(signal === undefined ? {} : { signal }),
  });
}

async function outputOf(response: Response): Promise<readonly Item[]> {
  return ((await response.json()) as { readonly output: readonly Item[] }).output;
}

const runs = (): number => upstream.records.filter((record) => record["path"] === "/agent.v1.AgentService/Run").length;

it("answers a client in its own process, whose calls wait for their results in one run", async () => {
  const parameters = { type: "object", properties: { path: { type: "string" } }, required: ["path"] };
  const tools = [{ type: "function", name: "read", description: "Read a file", parameters }];
  const question = { role: "user", content: "Read pears.txt" };
  const first = await outputOf(await ask({ input: [question], tools }));
  const call = first.find(({ type }) => type === "function_call");
  const result = { type: "function_call_output", call_id: call?.call_id, output: "Conference" };
  const second = await outputOf(await ask({ input: [question, ...first, result], tools }));
  expect([call?.arguments, second.flatMap(({ content = [] }) => content.map(({ text }) => text)), runs()]).toEqual([
    '{"path":"pears.txt"}',
    [expect.stringContaining("Conference")],
    1,
  ]);
});

it("streams as the upstream speaks, and closes while an answer is not complete", async () => {
  const leaving = new AbortController();
  const response = await ask({ input: "Wait for me", stream: true }, leaving.signal);
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString();
    if (text.includes("I wait.")) break;
  }
  leaving.abort();
  await caret.close();
  expect([response.status, runs()]).toEqual([200, 1]);
});

it("lets nobody in without its token", async () => {
  const response = await caret.fetch(`${caret.baseUrl}/v1/models`, { headers: { authorization: "Bearer other" } });
  expect(response.status).toBe(401);
});

it("lists the models that the account may use", async () => {
  const headers = { authorization: `Bearer ${caret.token}` };
  const response = await caret.fetch(`${caret.baseUrl}/v1/models`, { headers });
  const { data } = (await response.json()) as { readonly data: readonly { readonly id: string }[] };
  expect(data.map(({ id }) => id)).toEqual(expect.arrayContaining(["auto", "gpt-5.1"]));
});
