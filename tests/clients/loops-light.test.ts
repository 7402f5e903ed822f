import Anthropic from "@anthropic-ai/sdk";
import { barSize, isFullRun } from "@caret/runtime/testing/bar-size.ts";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { openChatDialogue } from "./dialogue/chat-dialogue.ts";
import type { Answer, AskedCall, Dialogue, GivenResult } from "./dialogue/dialogue.ts";
import { Kitchen, kitchenTools } from "./dialogue/kitchen-tools.ts";
import { openMessagesDialogue } from "./dialogue/messages-dialogue.ts";
import { openResponsesDialogue } from "./dialogue/responses-dialogue.ts";
import { GatewayHome } from "./gateway-home.ts";
import { type GatewayProcess, startGateway } from "./gateway-process.ts";
import { killVictims } from "./victims.ts";

const home = new GatewayHome();
let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGateway(home);
});
afterAll(async () => {
  await gateway.stop();
  home.remove();
});

const doors = [
  ["chat completions", openChatDialogue],
  ["responses", openResponsesDialogue],
  ["messages", openMessagesDialogue],
] as const;

/** Two files read together, then a command, then a file written: four calls in three answers. */
const taskFor = (basket: string): string =>
  `Read apples.txt and pears.txt, then run \`wc -l apples.txt\`, then create ${basket} with the content full`;
const finalWords = (basket: string): string =>
  `\`apples.txt\` says:\n\nBoskoop\nElstar\nJonagold\n\n\`pears.txt\` says:\n\nConference\n\n\`wc -l apples.txt\` printed:\n\n3 apples.txt\n\nI wrote \`${basket}\`.`;

/** The turns whose prompts name this basket: one for each agent that was started for it. */
const turnsAbout = (basket: string) => home.turns().filter(({ prompt }) => prompt.includes(basket));

/** Answers calls until there are none, the last one first. Gives the names of the calls, answer by answer, and the last words. */
async function cook(dialogue: Dialogue, first: Answer, kitchen: Kitchen) {
  const rounds: string[][] = [];
  let answer = first;
  while (answer.calls.length > 0) {
    rounds.push(answer.calls.map(({ name }) => name).toSorted());
    answer = await dialogue.give(...answer.calls.map((call) => resultOf(call, kitchen)).toReversed());
  }
  return { rounds, text: answer.text };
}

function resultOf({ callId, name, input }: AskedCall, kitchen: Kitchen): GivenResult {
  return { callId, text: kitchen.run(name, input) };
}

describe.each(doors)("a client that runs its own tools by %s", (door, open) => {
  /** Behind the doors there is one way: what it does is shown at the first one. */
  const isShownHere = isFullRun() || door === "chat completions";
  const basketFor = (name: string): string => `${door.replaceAll(" ", "-")}-${name}.txt`;

  it.runIf(isShownHere)("is asked for three tools, two at once, and may give results in another order", async () => {
    const basket = basketFor("task");
    const [dialogue, kitchen] = [open(gateway), new Kitchen()];
    const { rounds, text } = await cook(dialogue, await dialogue.say(taskFor(basket)), kitchen);
    expect({
      rounds,
      endsWithTheTask: text.endsWith(finalWords(basket)),
      basket: kitchen.files.get(basket),
      agents: turnsAbout(basket).length,
    }).toEqual({ rounds: [["read", "read"], ["bash"], ["write"]], endsWithTheTask: true, basket: "full", agents: 1 });
  });

  it.runIf(isShownHere)("may give one result at a time, and is asked again for what is missing", async () => {
    const basket = basketFor("partial");
    const [dialogue, kitchen] = [open(gateway), new Kitchen()];
    const both = await dialogue.say(taskFor(basket));
    const [one, two] = both.calls as [AskedCall, AskedCall];
    const half = await dialogue.give(resultOf(one, kitchen));
    expect(half.calls).toEqual([two]);
    const { rounds, text } = await cook(dialogue, await dialogue.give(resultOf(two, kitchen)), kitchen);
    expect({ rounds, endsWithTheTask: text.endsWith(finalWords(basket)), agents: turnsAbout(basket).length }).toEqual({
      rounds: [["bash"], ["write"]],
      endsWithTheTask: true,
      agents: 1,
    });
  });

  it.runIf(isShownHere)("may say something else instead of giving results", async () => {
    const dialogue = open(gateway);
    await dialogue.say(taskFor(basketFor("instead")));
    const { text, calls } = await dialogue.say("Say never mind");
    expect([text, calls, home.prompts().at(-1)]).toEqual(["never mind", [], expect.stringMatching(/Say never mind$/)]);
  });

  it.runIf(isShownHere)(
    "clients K: goes on with the task when the agent that waits for its results is killed",
    async () => {
      const basket = basketFor("killed");
      const [dialogue, kitchen] = [open(gateway), new Kitchen()];
      const { calls } = await dialogue.say(taskFor(basket));
      killVictims(home, "agent");
      // Results that come before the gateway has noticed would go to a turn that is about to fail.
      await vi.waitFor(async () => expect(await runningSessions()).toEqual([]), { timeout: 30_000 });
      const next = await dialogue.give(...calls.map((call) => resultOf(call, kitchen)));
      const { rounds, text } = await cook(dialogue, next, kitchen);
      expect({
        rounds,
        endsWithTheTask: text.endsWith(finalWords(basket)),
        basket: kitchen.files.get(basket),
        lastPrompt: home.prompts().at(-1),
      }).toEqual({
        rounds: [["bash"], ["write"]],
        endsWithTheTask: true,
        basket: "full",
        lastPrompt: expect.stringMatching(/TOOL_RESULT \(name: read, call_id: [\w-]+\) \[\w+\]\nBoskoop/),
      });
    },
  );
});

const ends = [
  ["clients K: is killed and started again", "SIGKILL", { code: null, signal: "SIGKILL" }],
  ["is asked to stop, and does not wait for results", "SIGTERM", { code: 0, signal: null }],
] as const;

it.each(ends.slice(0, barSize({ quick: 1, full: 2 })))(
  "a client of any door goes on with the task when the gateway %s",
  async (_what, signal, exit) => {
    expect(await goOnAfter(signal)).toEqual({
      exit,
      ends: doors.map(([door]) => ({
        door,
        rounds: [["bash"], ["write"]],
        endsWithTheTask: true,
        basket: "full",
        lastPrompt: expect.stringMatching(/TOOL_RESULT \(name: read, call_id: [\w-]+\) \[\w+\]\nBoskoop/),
      })),
    });
  },
);

/** The sessions whose turns have not ended. */
async function runningSessions(): Promise<readonly unknown[]> {
  const answer = await fetch(`${gateway.url}/api/sessions`, { headers: { authorization: `Bearer ${gateway.token}` } });
  const { sessions } = (await answer.json()) as { readonly sessions: readonly { readonly status: { kind: string } }[] };
  return sessions.filter(({ status }) => status.kind !== "ended" && status.kind !== "idle");
}

/** Ends the gateway while calls of a client of each door wait, gives their results to another, and works through the rest. */
async function goOnAfter(signal: NodeJS.Signals) {
  const begun = await Promise.all(
    doors.map(async ([door, open]) => {
      const [dialogue, basket] = [open(gateway), `${door.replaceAll(" ", "-")}-${signal}.txt`];
      return { door, dialogue, basket, calls: (await dialogue.say(taskFor(basket))).calls };
    }),
  );
  gateway.kill(signal);
  const exit = await gateway.exited;
  gateway = await startGateway(home);
  const ends = [];
  for (const { door, dialogue, basket, calls } of begun) {
    const kitchen = new Kitchen();
    dialogue.moveTo(gateway);
    const next = await dialogue.give(...calls.map((call) => resultOf(call, kitchen)));
    const { rounds, text } = await cook(dialogue, next, kitchen);
    const written = { endsWithTheTask: text.endsWith(finalWords(basket)), basket: kitchen.files.get(basket) };
    ends.push({ door, rounds, ...written, lastPrompt: home.prompts().at(-1) });
  }
  return { exit, ends };
}

describe("the loops that clients bring along", () => {
  it("run through with OpenAI's `runTools`", async () => {
    const kitchen = new Kitchen();
    const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.token, maxRetries: 0 });
    const tools = kitchenTools.map(({ name, description, schema }) => ({
      type: "function" as const,
      function: {
        name,
        description,
        parameters: { ...schema },
        parse: (text: string) => JSON.parse(text) as Record<string, unknown>,
        function: (input: Record<string, unknown>) => kitchen.run(name, input),
      },
    }));
    const messages = [{ role: "user" as const, content: taskFor("run-tools.txt") }];
    const runner = client.chat.completions.runTools({ model: "auto", messages, tools, stream: true });
    expect([
      await runner.finalContent(),
      kitchen.files.get("run-tools.txt"),
      turnsAbout("run-tools.txt").length,
    ]).toEqual([finalWords("run-tools.txt"), "full", 1]);
  });

  it("run through with Anthropic's `toolRunner`", async () => {
    const kitchen = new Kitchen();
    const client = new Anthropic({ baseURL: gateway.url, apiKey: gateway.token, maxRetries: 0 });
    const tools = kitchenTools.map(({ name, description, schema }) => ({
      name,
      description,
      input_schema: schema,
      parse: (input: unknown) => input as Record<string, unknown>,
      run: (input: Record<string, unknown>) => kitchen.run(name, input),
    }));
    const messages = [{ role: "user" as const, content: taskFor("tool-runner.txt") }];
    const runner = client.beta.messages.toolRunner({ model: "auto", max_tokens: 1024, messages, tools });
    const { content } = await runner.runUntilDone();
    const said = content.map((block) => (block.type === "text" ? block.text : "")).join("");
    expect([said, kitchen.files.get("tool-runner.txt"), turnsAbout("tool-runner.txt").length]).toEqual([
      finalWords("tool-runner.txt"),
      "full",
      1,
    ]);
  });

  it("run through with responses that are gone on from by their ids", async () => {
    const kitchen = new Kitchen();
    const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.token, maxRetries: 0 });
    const tools = kitchenTools.map(
      ({ name, schema }) => ({ type: "function", name, parameters: { ...schema }, strict: false }) as const,
    );
    let response = await client.responses.create({ model: "auto", input: taskFor("by-id.txt"), tools });
    for (let calls = callsOf(response); calls.length > 0; calls = callsOf(response)) {
      const input = calls.map(({ call_id, name, arguments: text }) => ({
        type: "function_call_output" as const,
        call_id,
        output: kitchen.run(name, JSON.parse(text)),
      }));
      response = await client.responses.create({ model: "auto", input, tools, previous_response_id: response.id });
    }
    expect([response.output_text, kitchen.files.get("by-id.txt"), turnsAbout("by-id.txt").length]).toEqual([
      finalWords("by-id.txt"),
      "full",
      1,
    ]);
  });
});

function callsOf({ output }: OpenAI.Responses.Response) {
  return output.filter((item) => item.type === "function_call");
}
