import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { methods } from "@agentclientprotocol/sdk";
import type { OpenedEngine } from "@caret/cli/src/engine/compose.ts";
import type { AgentEvent, AgentEventOf } from "@caret/protocol";
import { createSessionGrants, type RunningTurn, type TurnRequest } from "@caret/runtime";
import { eventually } from "@caret/runtime/testing/eventually.ts";
import type { ScenarioInput } from "@caret/simulator";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { endOf, type PlayedTurn, playTurn } from "../turns/play-turn.ts";
import { TurnBench } from "../turns/turn-bench.ts";
import { localServer, type QuirkName, question, quirkCases, shell, todos, write } from "./acp-quirk-cases.ts";
import { withPlainClient } from "./plain-acp-client.ts";

type Turns = NonNullable<ScenarioInput["turns"]>;
const quirkNames = Object.keys(quirkCases) as QuirkName[];

/** The turns of all cases, and those that only our lane plays. A prompt begins with the name of its turn. */
const turns: Turns = [
  { when: "accepted the plan", steps: [write("a.txt")] },
  ...quirkNames.map((quirk) => ({ when: `^${quirk}`, steps: quirkCases[quirk].steps })),
  { when: "^refused", steps: [shell("touch refused.txt")] },
  { when: "^one", steps: [question("First?"), { text: "1" }] },
  { when: "^two", steps: [question("Second?"), { text: "2" }] },
  { when: "^model", steps: [{ delay: 20 }, { text: "Done." }] },
  { when: "^mcp", steps: [{ tool: { server: "local", name: "echo", args: { text: "HELLO" } } }] },
  { when: "^offered", steps: [{ tool: { server: "caret", name: "get_weather", args: {} } }] },
  { when: "^say", steps: [{ text: "First." }] },
  { when: "^again", steps: [{ text: "Second." }] },
  {
    when: "^speaks of an error",
    steps: [{ text: "It printed:\n\nError: nothing to do\n\nThat is fine.", tokensPerDelta: 1 }],
  },
  {
    when: "^requests",
    steps: [
      ...["cursor/brand_new", "fs/read_text_file", "cursor/generate_image"].map((method) => ({
        acp: { request: { method, params: {} } },
      })),
      { text: "Done." },
    ],
  },
  { when: "^stops", steps: [{ text: "Half." }, { acp: { stop: "refusal" } }] },
];

const switched = (isOn: (quirk: QuirkName) => boolean): ScenarioInput => ({
  acp: { quirks: Object.fromEntries(quirkNames.map((quirk) => [quirk, isOn(quirk)])) },
  turns,
});

let bench: TurnBench;
let opened: OpenedEngine;
/** Its agent has every quirk at once, but for two that take something away. */
let workspace: string;
beforeAll(async () => {
  bench = new TurnBench();
  workspace = bench.workspace(
    bench.simulator(switched((quirk) => quirk !== "no-ask-question" && quirk !== "no-session-servers")),
  );
  opened = await bench.open({ settings: { lane: "acp" }, keepWarm: true });
});
afterAll(() => bench.remove());

/** The terms of a turn that a person attends. */
function attended(): Pick<TurnRequest, "attended" | "agentTools"> {
  const grants = createSessionGrants({ newId: randomUUID, now: Date.now });
  return { attended: true, agentTools: { permission: "auto-edits", grants } };
}

/** Says this to everything that the turn asks. */
const deciding = (decision: "approved" | "rejected") => (turn: RunningTurn) => {
  const decide = (): void => {
    for (const { requestId, kind } of turn.asks.open())
      if (kind === "approval") turn.asks.answerApproval(requestId, { decision });
  };
  turn.asks.onChange(decide);
  decide();
};

function ofType<Type extends AgentEvent["type"]>(
  events: readonly AgentEvent[],
  type: Type,
): readonly AgentEventOf<Type>[] {
  return events.filter((event): event is AgentEventOf<Type> => event.type === type);
}

const play = (prompt: string, more: Partial<TurnRequest> = {}): Promise<PlayedTurn> =>
  playTurn(opened.engine, { prompt, workspace, ...more });
const approve = (prompt: string, more: Partial<TurnRequest> = {}): Promise<PlayedTurn> =>
  playTurn(opened.engine, { prompt, workspace, ...attended(), ...more }, { meanwhile: deciding("approved") });
const isThere = (name: string): boolean => existsSync(join(workspace, name));
const statuses = ({ events }: PlayedTurn) => ofType(events, "tool-result").map(({ status }) => status);

/** Offers a client's tool, and answers its call. */
async function playOffered(place: string): Promise<readonly string[]> {
  const weather = { name: "get_weather", description: "", inputSchema: { type: "object" as const } };
  const { events } = await playTurn(
    opened.engine,
    { prompt: "offered", workspace: place, clientTools: { tools: [weather], system: "" } },
    {
      async meanwhile(turn) {
        await eventually(() => (turn.parked?.open().length ?? 0) > 0, "the call");
        turn.parked?.answer(turn.parked.open()[0]?.callId ?? "", { text: "sunny", isError: false });
      },
    },
  );
  return ofType(events, "tool-result").map(({ output }) => output);
}

/** The same turns on our lane, and what came of them. */
const ours: Readonly<Record<QuirkName, readonly [keeps: string, play: () => Promise<unknown>, held: unknown]>> = {
  "ids-from-zero": [
    "answers the first request",
    async () => [endOf((await approve("ids-from-zero")).outcome), isThere("made.txt")],
    ["completed", true],
  ],
  "approved-servers-only": [
    "has its server approved first",
    () => playOffered(bench.workspace(bench.simulator(switched((quirk) => quirk !== "no-session-servers")))),
    ["sunny"],
  ],
  "no-session-servers": [
    "has its server in the agent's own settings too",
    () => playOffered(bench.workspace(bench.simulator(switched(() => true)))),
    ["sunny"],
  ],
  "open-cancelled-tools": [
    "closes the tool",
    async () => {
      const played = await playTurn(
        opened.engine,
        { prompt: "open-cancelled-tools", workspace, ...attended() },
        {
          async meanwhile(turn) {
            deciding("approved")(turn);
            for await (const batch of turn.follow())
              if (batch.some(({ event }) => event.type === "approval-answer")) return turn.cancel("Enough");
          },
        },
      );
      return [played.outcome.kind, statuses(played)];
    },
    ["cancelled", ["interrupted"]],
  ],
  "prompt-cancels-prompt": [
    "keeps what is said for the next turn",
    async () => {
      const { outcome, text, turn } = await playTurn(
        opened.engine,
        { prompt: "prompt-cancels-prompt", workspace },
        { meanwhile: (running) => running.steer("Be quick") },
      );
      return [endOf(outcome), text, turn.unsentSteering()];
    },
    ["completed", "One.Two.", ["Be quick"]],
  ],
  "plan-ends-turn": [
    "has the plan carried out in the same turn",
    async () => [endOf((await approve("plan-ends-turn", { mode: "plan" })).outcome), isThere("a.txt")],
    ["completed", true],
  ],
  "errors-as-text": [
    "fails the turn with these words",
    async () => {
      const { text, outcome } = await play("errors-as-text");
      return [text, outcome];
    },
    ["", { kind: "failed", error: expect.objectContaining({ upstream: expect.stringContaining("[unavailable]") }) }],
  ],
  "failures-completed": ["shows that it failed", async () => statuses(await play("failures-completed")), ["error"]],
  "stays-after-eof": [
    "ends the process by a signal",
    async () => {
      const place = bench.workspace();
      const engine = await bench.open({ settings: { lane: "acp" }, keepWarm: true });
      await playTurn(engine.engine, { prompt: "Hello", workspace: place });
      const before = bench.acpProcesses(place).length;
      await engine.close();
      return [before, bench.processes(place).length];
    },
    [1, 0],
  ],
  "model-per-process": [
    "gives each session its own model",
    async () => {
      const models = ["gpt-5.2", "composer-2.5", "gpt-5.2"];
      const played = await Promise.all(models.map((model) => play("model", { model })));
      return played.map(({ events }) => {
        const id = ofType(events, "session-ready")[0]?.sessionId;
        return bench.acpRecords("acp-turn").find(({ sessionId }) => sessionId === id)?.["model"];
      });
    },
    ["gpt-5.2", "composer-2.5", "gpt-5.2"],
  ],
  "late-commands": [
    "takes them for no part of the answer",
    async () => {
      const { text, events } = await play("late-commands");
      return [text, ofType(events, "unknown")];
    },
    ["Done.", []],
  ],
  "asks-without-session": [
    "asks the person of the turn that asks",
    async () => {
      const played = await Promise.all(["one", "two"].map((prompt) => answerQuestion(prompt)));
      return played.map(({ events }) => ofType(events, "tool-result")[0]?.output);
    },
    [expect.stringContaining("Yes"), expect.stringContaining("No")],
  ],
  "authenticate-first": ["authenticates first", async () => (await play("say")).text, "First."],
  "no-ask-question": [
    "goes on, and shows that nobody could be asked",
    async () => {
      const place = bench.workspace(bench.simulator(switched((quirk) => quirk === "no-ask-question")));
      const played = await approve("no-ask-question", { workspace: place });
      return [played.text, ofType(played.events, "question"), statuses(played)];
    },
    ["Done.", [], ["error"]],
  ],
  "repeated-tool-calls": [
    "shows it once",
    async () => ofType((await play("repeated-tool-calls")).events, "tool-call").length,
    1,
  ],
  "todos-as-notification": [
    "shows them",
    async () => ofType((await play("todos-as-notification")).events, "todos").map(({ items }) => items),
    [todos],
  ],
  "plan-as-object": [
    "shows its name and its words, and keeps to a rejection",
    async () => {
      const { events } = await playTurn(
        opened.engine,
        { prompt: "plan-as-object", workspace, mode: "plan", ...attended() },
        { meanwhile: deciding("rejected") },
      );
      return ofType(events, "plan").map(({ name, text }) => [name, text]);
    },
    [["Letters", "1. Write a.txt"]],
  ],
  "subagents-apart": ["leaves them out", async () => (await play("subagents-apart")).text, "Done."],
  "usage-updates": ["reports no consumption", async () => ofType((await play("usage-updates")).events, "usage"), []],
};

/** Answers the turn's own question: `Yes` to the first, `No` to any other. */
function answerQuestion(prompt: string): Promise<PlayedTurn> {
  const answer = async (turn: RunningTurn): Promise<void> => {
    await eventually(() => turn.asks.open().length > 0, "the question");
    const [{ requestId, request } = { requestId: "", request: undefined }] = turn.asks.open();
    if (request?.type !== "question") throw new Error("It is no question");
    const [{ id, prompt: asked } = { id: "", prompt: "" }] = request.questions;
    turn.asks.answerQuestion(requestId, {
      answers: [{ questionId: id, optionIds: [asked === "First?" ? "Yes" : "No"] }],
    });
  };
  return playTurn(opened.engine, { prompt, workspace, ...attended() }, { meanwhile: answer });
}

describe("a quirk of `agent acp`", () => {
  const cases = quirkNames.map((quirk) => ({ quirk, loses: quirkCases[quirk].loses, keeps: ours[quirk][0] }));
  test.each(cases)("$quirk: a plain client $loses; ours $keeps", async ({ quirk }) => {
    const { play: use, options = {}, broken, sound } = quirkCases[quirk];
    const plain = (isOn: (name: QuirkName) => boolean) =>
      withPlainClient(bench, bench.scenario(switched(isOn)), use, options);
    expect([await plain((name) => name === quirk), await plain(() => false)]).toEqual([broken, sound]);
    const [, playOurs, held] = ours[quirk];
    expect(await playOurs()).toEqual(held);
  });
});

describe("what `agent acp` does besides", () => {
  test("an answer that merely speaks of an error is an answer", async () => {
    const { text, outcome } = await play("speaks of an error");
    expect([text, endOf(outcome)]).toEqual(["It printed:\n\nError: nothing to do\n\nThat is fine.", "completed"]);
  });

  test("a call that was refused and is reported as completed is shown as rejected", async () => {
    const played = await playTurn(
      opened.engine,
      { prompt: "refused", workspace, ...attended() },
      { meanwhile: deciding("rejected") },
    );
    expect([statuses(played), isThere("refused.txt")]).toEqual([["rejected"], false]);
  });

  test("what a session said before is not said again when another process loads it", async () => {
    const first = await play("say");
    const id = ofType(first.events, "session-ready")[0]?.sessionId ?? "";
    const plain = await withPlainClient(
      bench,
      bench.scenario(switched(() => false)),
      async ({ agent, prompt, text }) => {
        await agent.request(methods.agent.session.load, { sessionId: id, cwd: workspace, mcpServers: [] });
        await prompt(id, "again");
        return text();
      },
    );
    const other = await bench.open({ settings: { lane: "acp" } });
    const third = await playTurn(other.engine, { prompt: "again", sessionId: first.turn.sessionId });
    expect([plain, third.text, third.summary.notices]).toEqual(["First.Second.", "Second.", []]);
    expect(ofType(third.events, "session-ready")[0]?.sessionId).toBe(id);
  });

  test("a model that it does not know is refused by name", async () => {
    expect(endOf((await play("say", { model: "gpt-5.22" })).outcome)).toBe("model-unknown");
  });

  test("a request that nobody knows is refused at once, by its type, and the turn goes on", async () => {
    const { text } = await play("requests");
    const refused = bench.acpRecords("acp-answer").map(({ method, error }) => [method, error]);
    expect([text, refused]).toEqual([
      "Done.",
      [
        ["cursor/brand_new", -32_601],
        ["fs/read_text_file", -32_601],
        ["cursor/generate_image", -32_601],
      ],
    ]);
  });

  test("a stop that is no end of an answer fails the turn with what was the reason", async () => {
    const { outcome, text } = await play("stops");
    expect([text, outcome]).toEqual([
      "Half.",
      { kind: "failed", error: expect.objectContaining({ message: "The agent refused to go on" }) },
    ]);
  });

  test("a call of an MCP tool has its server, its name and its arguments, and so has the request about it", async () => {
    const { name, command, args } = localServer;
    mkdirSync(bench.configDir, { recursive: true });
    // From here on every turn with tools starts it, which takes a while: so this is the last one.
    writeFileSync(join(bench.configDir, "mcp.json"), JSON.stringify({ mcpServers: { [name]: { command, args } } }));
    const announced = await withPlainClient(bench, bench.scenario(switched(() => false)), async (plain) => {
      await plain.prompt(await plain.newSession(), "mcp");
      return plain.updates.flatMap(({ update }) =>
        update.sessionUpdate === "tool_call" ? [[update.title, update.rawInput]] : [],
      );
    });
    expect(announced).toEqual([["MCP: echo", {}]]);
    const { events } = await approve("mcp");
    const named = { server: "local", input: { text: "HELLO" } };
    expect(ofType(events, "tool-call")).toEqual([expect.objectContaining({ ...named, name: "echo", kind: "mcp" })]);
    expect(ofType(events, "approval-request")).toEqual([expect.objectContaining({ ...named, subject: "echo" })]);
    expect(ofType(events, "tool-result")).toEqual([
      expect.objectContaining({ status: "ok", output: expect.stringContaining("HELLO") }),
    ]);
  });

  test("all these turns of one workspace took one process", () => {
    expect(bench.acpProcesses(workspace)).toHaveLength(1);
  });
});
