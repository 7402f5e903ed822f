import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { barSize, isFullRun } from "@caret/runtime/testing/bar-size.ts";
import OpenAI from "openai";
import type { Response, ResponseCreateParamsNonStreaming } from "openai/resources/responses/responses";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GatewayHome } from "./gateway-home.ts";
import { caret, type GatewayProcess, startGateway } from "./gateway-process.ts";

const SECRET = "ghp_0123456789abcdefghijklmnopqrstuvwxyzAB";
const look = { tool: { server: "caret", name: "look", args: {} } };
const home = new GatewayHome({
  turns: [
    { when: "^Look around", steps: [look, { text: "Looked." }] },
    { when: "TOOL_RESULT", steps: [{ text: "I see what you found." }] },
    { when: "^Token", steps: [{ text: `It is ${SECRET}.` }] },
    { when: "^", steps: [{ text: "Noted." }] },
  ],
});
let gateway: GatewayProcess;
beforeAll(() => start());
afterAll(async () => {
  await gateway.stop();
  home.remove();
});

async function start(): Promise<void> {
  gateway = await startGateway(home, { env: { CARET_WORKSPACES_ALLOW: JSON.stringify([home.workspace]) } });
}

/** A gateway in the same home, after the one before was stopped, or killed. */
async function restart(signal?: "SIGKILL"): Promise<void> {
  if (signal !== undefined) gateway.kill(signal);
  else await gateway.stop();
  await gateway.exited;
  await start();
}

async function ask(
  request: Omit<ResponseCreateParamsNonStreaming, "model">,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response & { session: string }> {
  const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.token, maxRetries: 0 });
  const { data, response } = await client.responses.create({ model: "auto", ...request }, { headers }).withResponse();
  return { ...data, session: response.headers.get("x-caret-session") ?? "" };
}

const tools = [{ type: "function" as const, name: "look", parameters: { type: "object" }, strict: false }];

describe("a response that a client refers to after a restart", () => {
  // A gateway that stops in order keeps no less than one that is killed: "is found by one of its items" stops it in order.
  const signals = (["SIGKILL", undefined] as const).slice(0, barSize({ quick: 1, full: 2 }));
  it.each(signals)("goes on in its session with what is new (signal: %s)", async (signal) => {
    const first = await ask({ input: `My name is Ada, ${signal}.` });
    const second = await ask({ input: "I live in Rome.", previous_response_id: first.id });
    await restart(signal);
    const third = await ask({ input: "And now?", previous_response_id: second.id });
    expect({
      sessions: [second.session, third.session],
      text: third.output_text,
      prompt: home.turns().at(-1)?.prompt,
    }).toEqual({ sessions: [first.session, first.session], text: "Noted.", prompt: "And now?" });
  });

  it("goes on in its session when what was said had secrets, which are not kept", async () => {
    const input = [
      { role: "developer" as const, content: `Never print the password hunter2-${SECRET}.` },
      { role: "user" as const, content: `My token is ${SECRET}. Remember it.` },
    ];
    const first = await ask({ input, instructions: `Deploy with ${SECRET}.` });
    const second = await ask({ input: `And this one: ${SECRET}9`, previous_response_id: first.id });
    await restart("SIGKILL");
    const third = await ask({ input: "And now?", previous_response_id: second.id });
    await restart();
    const fourth = await ask({ input: "And then?", previous_response_id: third.id, instructions: "Be brief." });
    const elsewhere = await ask(
      { input: "Where?", previous_response_id: fourth.id },
      { "x-caret-workspace": home.workspace },
    );
    expect({
      sessions: [second, third, fourth].map(({ session }) => session),
      isElsewhere: elsewhere.session !== first.session,
      prompts: home
        .turns()
        .slice(-3, -1)
        .map(({ prompt }) => prompt),
    }).toEqual({
      sessions: [first.session, first.session, first.session],
      isElsewhere: true,
      prompts: ["And now?", "And then?"],
    });
  });

  it.runIf(isFullRun())(
    "is one request under its idempotency key, though what it continues lost its secrets",
    async () => {
      const first = await ask({ input: `The password is ${SECRET}.` });
      const again = { input: "Go on, once", previous_response_id: first.id };
      const key = { "idempotency-key": "go-on-once" };
      const second = await ask(again, key);
      await restart("SIGKILL");
      const third = await ask(again, key);
      const asked = home.prompts().filter((prompt) => prompt.includes("Go on, once"));
      expect([third.session, third.output_text, asked.length]).toEqual([first.session, second.output_text, 1]);
    },
  );

  it.runIf(isFullRun())("goes on in its session when the result of a call had a secret", async () => {
    const first = await ask({ input: "Look around, there are secrets", tools });
    const [call] = first.output.flatMap((item) => (item.type === "function_call" ? [item] : []));
    const output = { type: "function_call_output", call_id: call?.call_id ?? "", output: `key: ${SECRET}` } as const;
    const second = await ask({ input: [output], tools, previous_response_id: first.id });
    await restart("SIGKILL");
    const third = await ask({ input: "And now?", tools, previous_response_id: second.id });
    expect([second.session, third.session, home.turns().at(-1)?.prompt]).toEqual([
      first.session,
      first.session,
      "And now?",
    ]);
  });

  it("takes the results of calls that it had made, by a new agent that is asked to go on", async () => {
    const first = await ask({ input: "Look around", tools });
    const [call] = first.output.flatMap((item) => (item.type === "function_call" ? [item] : []));
    await restart("SIGKILL");
    const output = { type: "function_call_output", call_id: call?.call_id ?? "", output: "a tree" } as const;
    const second = await ask({ input: [output], tools, previous_response_id: first.id });
    expect({ status: second.status, text: second.output_text }).toEqual({
      status: "completed",
      text: "I see what you found.",
    });
  });

  it.runIf(isFullRun())("is found by one of its items, too", async () => {
    const first = await ask({ input: "Say it by an item" });
    await restart();
    const [item] = first.output;
    const second = await ask({
      input: [
        { role: "user", content: "Say it by an item" },
        { type: "item_reference", id: item?.id ?? "" },
        { role: "user", content: "Again" },
      ],
    });
    expect([second.session, home.turns().at(-1)?.prompt]).toEqual([first.session, "Again"]);
  });

  it("lies on the disk without secrets, and is gone with its session", async () => {
    const first = await ask({ input: "Token, please" });
    const { session } = first;
    await gateway.stop();
    const file = readFileSync(join(home.dataDir, "answers.db"), "latin1");
    execFileSync(process.execPath, [caret, "sessions", "rm", session, "--yes"], { env: home.environment() });
    await start();
    const again = ask({ input: "Once more", previous_response_id: first.id });
    const refused = await again.then(
      () => undefined,
      ({ status, message }) => ({ status, message }),
    );
    expect({ answered: first.output_text, kept: file.includes(SECRET), refused }).toEqual({
      answered: `It is ${SECRET}.`,
      kept: false,
      refused: { status: 400, message: expect.stringContaining(`There is no response "${first.id}" any more`) },
    });
  });
});
