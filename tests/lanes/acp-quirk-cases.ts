import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { methods, type RequestError } from "@agentclientprotocol/sdk";
import { eventually } from "@caret/runtime/testing/eventually.ts";
import type { ScenarioInput } from "@caret/simulator";
import { expect } from "vitest";
import type { PlainClient, PlainClientOptions } from "./plain-acp-client.ts";

export type QuirkName = keyof NonNullable<NonNullable<ScenarioInput["acp"]>["quirks"]>;
type Turn = NonNullable<ScenarioInput["turns"]>[number];

/** What a quirk does to a plain client of the protocol. A prompt that begins with the quirk's name plays its turn. */
export interface QuirkCase {
  /** What such a client loses. */
  readonly loses: string;
  readonly steps: Exclude<Turn, readonly unknown[]>["steps"];
  readonly options?: PlainClientOptions;
  readonly play: (plain: PlainClient) => Promise<unknown>;
  /** What came of it with this quirk alone, and without any. */
  readonly broken: unknown;
  readonly sound: unknown;
}

const fixtureServer = fileURLToPath(
  new URL("src/mcp/testing/fixture-server.ts", import.meta.resolve("@caret/simulator/package.json")),
);
/** An MCP server with the tool `echo`, as a client names it to its session. */
export const localServer = { name: "local", command: process.execPath, args: [fixtureServer], env: [] };
const echo = { tool: { server: "local", name: "echo", args: { text: "HELLO" } } };

export const shell = (command: string) => ({ tool: { name: "shell", args: { command } } });
export const write = (path: string) => ({ tool: { name: "write", args: { path, contents: "A" } } });
export const question = (prompt: string) => ({ question: { prompt, options: ["Yes", "No"] } });
const plan = { tool: { name: "createPlan", args: { name: "Letters", plan: "1. Write a.txt" } } };
export const todos = [{ id: "1", content: "Sweep", status: "pending" as const }];
const createPlan = "cursor/create_plan";
const askQuestion = "cursor/ask_question";
const accepted = { outcome: { outcome: "accepted" } };

const once = async (plain: PlainClient, quirk: QuirkName): Promise<string> =>
  await plain.prompt(await plain.newSession(), quirk);
const outputs = ({ updates }: PlainClient): readonly unknown[] =>
  updates.flatMap(({ update }) => ("rawOutput" in update ? [update.rawOutput] : []));
const commands = ({ updates }: PlainClient): number =>
  updates.filter(({ update }) => update.sessionUpdate === "available_commands_update").length;

/** What the agent had to say by itself has come when it has answered so often. */
const askAround = async ({ agent }: PlainClient): Promise<void> => {
  for (let times = 0; times < 10; times += 1) {
    await agent.request("session/list", {});
    await new Promise(setImmediate);
  }
};

export const quirkCases: Readonly<Record<QuirkName, QuirkCase>> = {
  "ids-from-zero": {
    loses: "tests ids for truth and never answers the first request: the turn hangs",
    steps: [shell("touch made.txt")],
    options: { testsIdsForTruth: true },
    play: async (plain) => {
      const stopReason = once(plain, "ids-from-zero");
      return [
        await Promise.race([stopReason, plain.overlooked.then(() => "unanswered")]),
        plain.asked.length,
        existsSync(join(plain.workspace, "made.txt")),
      ];
    },
    broken: ["unanswered", 0, false],
    sound: ["end_turn", 1, true],
  },
  "approved-servers-only": {
    loses: "has its MCP servers left out, without a word",
    steps: [echo],
    play: async (plain) => {
      await plain.prompt(await plain.newSession([localServer]), "approved-servers-only");
      return outputs(plain);
    },
    broken: [{ error: { error: "MCP server local is not connected", readToolDefReminder: "" } }],
    sound: [expect.objectContaining({ content: expect.anything() })],
  },
  "no-session-servers": {
    loses: "has its MCP servers left out, whatever is approved",
    steps: [echo],
    play: async (plain) => {
      await plain.prompt(await plain.newSession([localServer]), "no-session-servers");
      return outputs(plain);
    },
    broken: [{ error: { error: "MCP server local is not connected", readToolDefReminder: "" } }],
    sound: [expect.objectContaining({ content: expect.anything() })],
  },
  "open-cancelled-tools": {
    loses: "shows the tool of a cancelled turn as running for ever",
    steps: [shell("sleep 30")],
    play: async (plain) => {
      const sessionId = await plain.newSession();
      const stopped = plain.prompt(sessionId, "open-cancelled-tools");
      await eventually(() => plain.statuses().includes("in_progress"), "the tool");
      await plain.agent.notify(methods.agent.session.cancel, { sessionId });
      return [await stopped, plain.statuses().at(-1)];
    },
    broken: ["cancelled", "in_progress"],
    sound: ["cancelled", "failed"],
  },
  "prompt-cancels-prompt": {
    loses: "cancels a turn by what it says while the turn runs",
    steps: [{ text: "One." }, { delay: 30 }, { text: "Two." }],
    play: async (plain) => {
      const sessionId = await plain.newSession();
      const first = plain.prompt(sessionId, "prompt-cancels-prompt");
      await eventually(() => plain.text() !== "", "the first words");
      await plain.prompt(sessionId, "Be quick").catch(() => "refused");
      return await first;
    },
    broken: "cancelled",
    sound: "end_turn",
  },
  "plan-ends-turn": {
    loses: "accepts a plan that nobody then carries out",
    steps: [plan, write("a.txt")],
    options: { knows: { [createPlan]: accepted } },
    play: async (plain) => [await once(plain, "plan-ends-turn"), existsSync(join(plain.workspace, "a.txt"))],
    broken: ["end_turn", false],
    sound: ["end_turn", true],
  },
  "errors-as-text": {
    loses: "shows a failure as the answer of a turn that went well",
    steps: [{ fail: "unavailable" }],
    play: async (plain) => [
      await once(plain, "errors-as-text").catch((reason: unknown) => (reason as RequestError).code),
      plain.text(),
    ],
    broken: ["end_turn", expect.stringContaining("Error: T: [unavailable]")],
    sound: [-32_603, ""],
  },
  "failures-completed": {
    loses: "shows a call that failed as one that went well",
    steps: [{ tool: { name: "read", args: { path: "missing.txt" } } }],
    play: async (plain) => {
      await once(plain, "failures-completed");
      return plain.statuses().at(-1);
    },
    broken: "completed",
    sound: "failed",
  },
  "stays-after-eof": {
    loses: "closes the agent's input, and leaves a process behind",
    steps: [],
    play: async (plain) => {
      const exited = plain.closeInput().then(() => "exited");
      // The input's end is read in a turn of the event loop; the agent that heeds it has ended by then.
      const turns = Array.from({ length: 100 }).reduce<Promise<unknown>>(
        (before) => before.then(() => new Promise(setImmediate)),
        Promise.resolve(),
      );
      return await Promise.race([exited, turns.then(() => "still there")]);
    },
    broken: "still there",
    sound: "exited",
  },
  "model-per-process": {
    loses: "runs a session with the model of another one",
    steps: [],
    play: async (plain) => {
      const [one, two] = [await plain.newSession(), await plain.newSession()];
      const choose = async (sessionId: string, configId: string, value: string) =>
        (await plain.agent.request(methods.agent.session.setConfigOption, { sessionId, configId, value }))
          .configOptions;
      await choose(one, "model", "gpt-5.2[]");
      await choose(two, "model", "composer-2.5[]");
      return (await choose(one, "mode", "agent")).find(({ id }) => id === "model")?.currentValue;
    },
    broken: "composer-2.5[]",
    sound: "gpt-5.2[]",
  },
  "late-commands": {
    loses: "has no slash commands to show before the first turn",
    steps: [{ text: "Done." }],
    play: async (plain) => {
      const sessionId = await plain.newSession();
      await askAround(plain);
      const before = commands(plain);
      await plain.prompt(sessionId, "late-commands");
      return [before, commands(plain)];
    },
    broken: [0, 1],
    sound: [1, 1],
  },
  "asks-without-session": {
    loses: "cannot tell in which of its sessions a question is asked",
    steps: [question("Tabs?")],
    options: { knows: { [askQuestion]: { outcome: { outcome: "cancelled" } } } },
    play: async (plain) => {
      await once(plain, "asks-without-session");
      return plain.extensions[askQuestion]?.map(({ sessionId }) => typeof sessionId);
    },
    broken: ["undefined"],
    sound: ["string"],
  },
  "authenticate-first": {
    loses: "waits for ever for a session",
    steps: [],
    play: async (plain) => {
      let isMade = false;
      void plain.newSession().then(
        () => {
          isMade = true;
        },
        () => undefined, // the agent ends first
      );
      // Asked later, and answered: so the other was not.
      await askAround(plain);
      return isMade;
    },
    broken: false,
    sound: true,
  },
  "no-ask-question": {
    loses: "is never asked what the agent wants to know",
    steps: [question("Tabs?"), { text: "Done." }],
    options: { knows: { [askQuestion]: { outcome: { outcome: "cancelled" } } } },
    play: async (plain) => {
      await once(plain, "no-ask-question");
      return plain.extensions[askQuestion]?.length;
    },
    broken: 0,
    sound: 1,
  },
  "repeated-tool-calls": {
    loses: "shows one call as two",
    steps: [{ tool: { name: "ls", args: { path: "." } } }],
    play: async (plain) => {
      await once(plain, "repeated-tool-calls");
      return plain.updates.filter(({ update }) => update.sessionUpdate === "tool_call").length;
    },
    broken: 2,
    sound: 1,
  },
  "todos-as-notification": {
    loses: "shows no todos, which it expects to be asked about",
    steps: [{ tool: { name: "updateTodos", args: { todos } } }],
    options: { knows: { "cursor/update_todos": {} } },
    play: async (plain) => {
      await once(plain, "todos-as-notification");
      return plain.extensions["cursor/update_todos"]?.flatMap((params) =>
        (params["todos"] as readonly { readonly content: string }[]).map(({ content }) => content),
      );
    },
    broken: [],
    sound: ["Sweep"],
  },
  "plan-as-object": {
    loses: "shows a plan without its name and its words",
    steps: [plan],
    options: { knows: { [createPlan]: { outcome: { outcome: "rejected" } } } },
    play: async (plain) => {
      await once(plain, "plan-as-object");
      return plain.extensions[createPlan]?.map(({ name, plan: words }) => `${name}: ${words}`);
    },
    broken: ["undefined: [object Object]"],
    sound: ["Letters: 1. Write a.txt"],
  },
  "subagents-apart": {
    loses: "shows the words of a subagent as the answer",
    steps: [{ tool: { name: "task", args: { description: "Look" } } }, { text: "Done." }],
    options: { knows: { "cursor/task": {} } },
    play: async (plain) => {
      await once(plain, "subagents-apart");
      return plain.text();
    },
    broken: "I am the subagent.Done.",
    sound: "Done.",
  },
  "usage-updates": {
    loses: "takes what fills the context for what a turn has consumed, turn after turn",
    steps: [{ text: "Done." }],
    play: async (plain) => {
      await once(plain, "usage-updates");
      return plain.updates.flatMap(({ update }) => (update.sessionUpdate === "usage_update" ? [update.used > 0] : []));
    },
    broken: [true],
    sound: [],
  },
};
