import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AgentEvent, type AgentEventOf, assertWellFormedTurn, Secret } from "@caret/protocol";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ToolCall, ToolResult } from "../../calls/tool-call.ts";
import { type OfferedTools, outcomeOfStop } from "../../lanes/lane.ts";
import { createInlineSpawner } from "../../process/spawner/create-spawner.ts";
import { testEnv } from "../../process/testing/workbench.ts";
import { createRedactor } from "../../redaction/redactor.ts";
import { eventually } from "../../testing/eventually.ts";
import type { SessionEngineOptions } from "../create-session-engine.ts";
import type { GatewayToolsRequest, RunningTurn, SessionEngine, TurnRequest } from "../session-engine.ts";
import { completedEnd, follow, scriptedEngine, scriptedLane } from "../testing/scripted-engine.ts";

/** An engine whose agent only calls tools, one round after the other; tools, policy and guard are real. */
let directory: string;
let project: string;
let scratch: string;
let engine: SessionEngine;
let rounds: readonly (readonly ToolCall[])[];
let heard: ToolResult[];
/** Once it resolves, the agent stops waiting for calls and ends its turn. */
let leaving: PromiseWithResolvers<undefined>;
let offered: OfferedTools | undefined;
const spawner = createInlineSpawner({});
beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "caret-attended-")));
  project = join(directory, "project");
  scratch = join(directory, "scratch");
  mkdirSync(project);
  mkdirSync(scratch);
  heard = [];
  leaving = Promise.withResolvers();
  openEngine();
});
afterEach(async () => {
  await engine.close();
  rmSync(directory, { recursive: true, force: true });
});
afterAll(() => spawner.close());

function openEngine(more: Partial<SessionEngineOptions> = {}): void {
  const lane = scriptedLane(async function* (asked, signal) {
    offered = asked.offered;
    for (const calls of rounds) {
      if (signal.aborted) break;
      heard.push(...(await Promise.all(calls.map((call) => callOf(asked.offered, call, signal)))).flat());
    }
    yield signal.aborted ? [{ type: "turn-end", outcome: outcomeOfStop(signal) }] : [completedEnd];
  });
  const policy = { mode: "full", rules: [] } as const;
  const toolbox = { policy, servers: [], spawner, env: testEnv, outputsDir: directory };
  engine = scriptedEngine(lane, directory, { toolbox, ...more });
}

async function reopenEngine(more: Partial<SessionEngineOptions>): Promise<void> {
  await engine.close();
  openEngine(more);
}

/** An agent that is stopped does not wait for its calls. */
async function callOf(tools: OfferedTools | undefined, call: ToolCall, signal: AbortSignal): Promise<ToolResult[]> {
  tools?.announce(call);
  const stopped = new Promise<undefined>((resolve) =>
    signal.addEventListener("abort", () => resolve(undefined), { once: true }),
  );
  const result = await Promise.race([tools?.call(call, signal), stopped, leaving.promise]);
  return result === undefined ? [] : [result];
}

async function start(
  calls: readonly (readonly ToolCall[])[],
  tools: Partial<GatewayToolsRequest> = {},
  more: Partial<TurnRequest> = {},
): Promise<RunningTurn> {
  rounds = calls;
  const gatewayTools: GatewayToolsRequest = { system: "", realWorkspace: project, permission: "supervised", ...tools };
  const place = more.sessionId === undefined ? { workspace: project } : {};
  const request = { prompt: "Go on", ...place, agentWorkspace: scratch, attended: true, gatewayTools } as const;
  return await engine.startTurn({ ...request, ...more });
}

/** Waits until this many requests are open, and returns their ids. */
async function asked(turn: RunningTurn, count = 1): Promise<readonly string[]> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = (): void => {
    if (turn.asks.open().length >= count) resolve();
  };
  const stop = turn.asks.onChange(look);
  look();
  await promise;
  stop();
  return turn.asks.open().map(({ requestId }) => requestId);
}

async function eventsOf(turn: RunningTurn): Promise<readonly AgentEvent[]> {
  const events = await follow(turn);
  await turn.settled;
  assertWellFormedTurn(events);
  return events;
}

const touch = (name: string): ToolCall => ({ name: "exec", input: { command: `touch ${name}` } });
const read: ToolCall = { name: "ls", input: {} };
const made = (): readonly string[] => readdirSync(project).toSorted();
const toldOf = (events: readonly AgentEvent[]): readonly string[] =>
  events.flatMap((event) => {
    if (event.type === "approval-answer") return [`${event.decision} by ${event.by}`];
    if (event.type === "tool-result") return [`result ${event.status}`];
    return /^(turn|notice|text)/.test(event.type) ? [] : [event.type];
  });
const only = <Type extends AgentEvent["type"]>(events: readonly AgentEvent[], type: Type) =>
  events.filter((event): event is AgentEventOf<Type> => event.type === type);

describe("a call that a person is asked about", () => {
  it("waits, and runs when it was approved and the log knows", async () => {
    const turn = await start([[touch("a")]]);
    const [requestId = ""] = await asked(turn);
    expect([made(), turn.asks.open()]).toMatchObject([
      [],
      [{ requestId, kind: "approval", about: "Run touch a", since: 1_795_000_000_000 }],
    ]);
    expect(turn.asks.answerApproval(requestId, { decision: "approved" })).toEqual({});
    expect(turn.asks.answerApproval(requestId, { decision: "rejected" })).toBeUndefined();
    const events = await eventsOf(turn);
    expect([toldOf(events), made(), turn.asks.open()]).toEqual([
      ["tool-call", "approval-request", "approved by person", "result ok"],
      ["a"],
      [],
    ]);
  });

  it("is not run when it was rejected, and the agent hears why", async () => {
    const turn = await start([[touch("a")]]);
    const [requestId = ""] = await asked(turn);
    turn.asks.answerApproval(requestId, { decision: "rejected", reason: "not here" });
    const events = await eventsOf(turn);
    expect(toldOf(events)).toEqual(["tool-call", "approval-request", "rejected by person", "result rejected"]);
    expect([heard, made()]).toEqual([
      [{ text: "exec was not run: The user rejected it: not here", isError: true, isRejected: true }],
      [],
    ]);
  });

  it("is rejected when nobody answers in time, and the time is not the tool's", async () => {
    await reopenEngine({ askLimitMs: 20 });
    const events = await eventsOf(await start([[touch("a")]]));
    expect(toldOf(events)).toEqual(["tool-call", "approval-request", "rejected by nobody", "result rejected"]);
    expect(only(events, "tool-result").map(({ durationMs }) => durationMs)).toEqual([0]);
    expect(heard).toEqual([
      { text: "exec was not run: Nobody answered within 20 ms", isError: true, isRejected: true },
    ]);
  });

  it("is given up when the turn is cancelled, and everything has its answer in the log", async () => {
    const turn = await start([[touch("a"), touch("b")]]);
    await asked(turn, 2);
    turn.cancel();
    const events = await eventsOf(turn);
    expect([made(), turn.asks.open()]).toEqual([[], []]);
    expect(only(events, "approval-answer").map(({ decision, by }) => [decision, by])).toEqual([
      ["rejected", "nobody"],
      ["rejected", "nobody"],
    ]);
    expect(only(events, "tool-result").map(({ status }) => status)).toEqual(["interrupted", "interrupted"]);
    expect(await turn.outcome).toEqual({ kind: "cancelled" });
  });

  it("is logged as not run, and why, when the turn is stopped before it was decided", async () => {
    const turn = await start([[touch("a")]]);
    await asked(turn);
    turn.cancel("You stopped the turn");
    const events = await eventsOf(turn);
    expect({ answers: only(events, "approval-answer"), results: only(events, "tool-result") }).toMatchObject({
      answers: [{ decision: "rejected", by: "nobody", reason: "You stopped the turn" }],
      results: [{ status: "interrupted", notRun: true, output: "Not run: you stopped the turn." }],
    });
  });

  it("is logged as interrupted, not as never run, when the turn is stopped while it runs", async () => {
    const turn = await start([[{ name: "exec", input: { command: "echo on > started; sleep 60" } }]], {
      permission: "auto",
    });
    await eventually(() => made().includes("started"), "the command has begun");
    turn.cancel("You stopped the turn");
    const events = await eventsOf(turn);
    expect(only(events, "tool-result").map(({ status, notRun }) => ({ status, notRun }))).toEqual([
      { status: "interrupted", notRun: undefined },
    ]);
  });

  it("is settled before the end of a turn whose agent did not wait for it", async () => {
    const turn = await start([[touch("a")]]);
    await asked(turn);
    leaving.resolve(undefined);
    const events = await eventsOf(turn);
    expect([toldOf(events), await turn.outcome, turn.asks.open()]).toEqual([
      ["tool-call", "approval-request", "rejected by nobody", "result interrupted"],
      { kind: "completed" },
      [],
    ]);
  });

  it("is given up alone when the agent takes it back", async () => {
    const turn = await start([[touch("a")]]);
    const [first = ""] = await asked(turn);
    const taken = new AbortController();
    offered?.announce(touch("b"));
    const second = offered?.call(touch("b"), taken.signal);
    await asked(turn, 2);
    taken.abort();
    expect([await second, turn.asks.open().length]).toEqual([
      { text: "Not run: the agent no longer waited for it.", isError: true },
      1,
    ]);
    turn.asks.answerApproval(first, { decision: "approved" });
    expect(toldOf(await eventsOf(turn)).slice(-4)).toEqual([
      ...["rejected by nobody", "result interrupted"],
      ...["approved by person", "result ok"],
    ]);
  });

  it("counts as refused for the guard, which stops an agent that asks the same again and again", async () => {
    const turn = await start(Array.from({ length: 9 }, () => [touch("a")]));
    const stop = turn.asks.onChange(() => {
      for (const { requestId } of turn.asks.open()) turn.asks.answerApproval(requestId, { decision: "rejected" });
    });
    const events = await eventsOf(turn);
    stop();
    expect(only(events, "approval-request")).toHaveLength(3);
    expect(await turn.outcome).toMatchObject({ kind: "failed", error: { code: "loop-stopped" } });
  });

  it("is summarised in one line, as it is, and whole beside it", async () => {
    await reopenEngine({ redactor: () => createRedactor({ secrets: [new Secret("hunter2hunter2")] }) });
    const input = { command: `echo\n hunter2hunter2 ${"x".repeat(300)}` };
    const turn = await start([[{ name: "exec", input }]]);
    await asked(turn);
    const [ask] = turn.asks.open();
    expect({ about: ask?.about, input: ask?.request.type === "approval-request" && ask.request.input }).toEqual({
      about: `Run echo hunter2hunter2 ${"x".repeat(175)}…`,
      input,
    });
    turn.cancel();
    const events = await eventsOf(turn);
    expect(JSON.stringify(events)).not.toContain("hunter2");
  });

  it("is denied at once when nobody attends the turn, or by a rule in any case", async () => {
    rounds = [[touch("a")]];
    const gatewayTools = { system: "", realWorkspace: project, permission: "supervised" } as const;
    const turn = await engine.startTurn({ prompt: "x", workspace: scratch, gatewayTools });
    expect(toldOf(await eventsOf(turn))).toContain("rejected by policy");
    expect(offered?.tools.map(({ name }) => name)).not.toContain("ask_user");
    const policy = { mode: "full", rules: [{ effect: "deny", tool: "exec" }] } as const;
    await reopenEngine({ toolbox: { policy, servers: [], spawner, env: testEnv, outputsDir: directory } });
    expect(toldOf(await eventsOf(await start([[touch("a")]])))).toContain("rejected by policy");
  });

  it("to search a directory leaves out the files there that a rule forbids to open, and says so", async () => {
    const policy = { mode: "full", rules: [{ effect: "deny", path: "**/.env" }] } as const;
    await reopenEngine({ toolbox: { policy, servers: [], spawner, env: testEnv, outputsDir: directory } });
    for (const name of [".env", "a.txt"]) writeFileSync(join(project, name), "the word is xyzzy\n");
    await eventsOf(await start([[{ name: "grep", input: { pattern: "xyzzy" } }]]));
    const output = "a.txt:1:the word is xyzzy\n[A rule forbids to open 1 of the files: they were not searched.]";
    expect(heard.map(({ text }) => text)).toEqual([output]);
  });

  it("needs no asking where the turn's own permission allows it", async () => {
    const turn = await start([[touch("a")]], { permission: "auto" });
    expect({
      includesApprovedByPolicy: toldOf(await eventsOf(turn)).includes("approved by policy"),
      made: made(),
    }).toEqual({ includesApprovedByPolicy: true, made: ["a"] });
  });
});

describe("a question", () => {
  const options = [
    { id: "r", label: "Red" },
    { id: "b", label: "Blue" },
  ];
  const question: ToolCall = {
    name: "ask_user",
    input: {
      title: "Colours",
      questions: [
        { id: "q1", prompt: "Which colour?", options },
        { id: "q2", prompt: "Which others?", options, allowMultiple: true },
      ],
    },
  };

  it("is asked, and the agent is sent its answer by its labels", async () => {
    const turn = await start([[question]]);
    const [requestId = ""] = await asked(turn);
    expect(turn.asks.open()).toMatchObject([{ kind: "question", about: "Colours" }]);
    const answers = [
      { questionId: "q1", optionIds: ["b"] },
      { questionId: "q2", optionIds: ["r", "b"] },
    ];
    expect(turn.asks.answerQuestion(requestId, { answers })).toBe(true);
    const events = await eventsOf(turn);
    expect(toldOf(events)).toEqual(["tool-call", "question", "question-answer", "result ok"]);
    expect(events.find(({ type }) => type === "tool-call")).toMatchObject({ name: "ask_user", kind: "question" });
    expect(only(events, "question")).toMatchObject([{ title: "Colours", questions: [{ allowMultiple: false }, {}] }]);
    expect(only(events, "question-answer")).toEqual([
      { type: "question-answer", requestId, outcome: "answered", answers },
    ]);
    expect(heard).toEqual([
      { text: "The user answered:\n- Which colour? Blue\n- Which others? Red, Blue", isError: false },
    ]);
  });

  it("takes the person's own words, which the agent is given", async () => {
    const turn = await start([[question]]);
    const [requestId = ""] = await asked(turn);
    const answers = [
      { questionId: "q1", optionIds: [], text: "Green" },
      { questionId: "q2", optionIds: ["r"], text: "but dark" },
    ];
    expect(turn.asks.answerQuestion(requestId, { answers })).toBe(true);
    expect(only(await eventsOf(turn), "question-answer")).toEqual([
      { type: "question-answer", requestId, outcome: "answered", answers },
    ]);
    expect(heard).toEqual([
      {
        text: "The user answered:\n- Which colour? in their own words: Green\n- Which others? Red, in their own words: but dark",
        isError: false,
      },
    ]);
  });

  it("may be skipped, and the agent goes on", async () => {
    const turn = await start([[question]]);
    turn.asks.answerQuestion((await asked(turn))[0] ?? "", {});
    const events = await eventsOf(turn);
    expect(only(events, "question-answer")).toMatchObject([{ outcome: "skipped" }]);
    expect(heard).toMatchObject([{ text: expect.stringContaining("The user skipped the question"), isError: false }]);
  });

  it("goes on waiting when an answer does not fit it", async () => {
    const turn = await start([[question]]);
    const [requestId = ""] = await asked(turn);
    const answer = (questionId: string, ...optionIds: string[]) =>
      turn.asks.answerQuestion(requestId, { answers: [{ questionId, optionIds }] });
    for (const give of [() => answer("q3", "r"), () => answer("q1", "x"), () => answer("q1", "r", "b")])
      expect(give).toThrow("The answer does not fit the question");
    expect([turn.asks.open().length, turn.asks.answerApproval(requestId, { decision: "approved" })]).toEqual([
      1,
      undefined,
    ]);
    turn.cancel();
    const events = await eventsOf(turn);
    expect(only(events, "question-answer")).toMatchObject([{ outcome: "skipped", reason: expect.any(String) }]);
  });

  it("that nobody answers in time is reported to the agent", async () => {
    await reopenEngine({ askLimitMs: 20 });
    const events = await eventsOf(await start([[question]]));
    expect([toldOf(events).at(-1), heard[0]?.text]).toEqual([
      "result error",
      "Nobody answered within 20 ms. Go on as you think best, and say what you assumed.",
    ]);
  });

  it.each([
    ["without options", { questions: [{ id: "a", prompt: "?", options: [] }] }],
    ["with two options of one id", { questions: [{ id: "a", prompt: "?", options: [options[0], options[0]] }] }],
    ["without any question", { questions: [] }],
  ])("is not asked %s", async (_how, input) => {
    const events = await eventsOf(await start([[{ name: "ask_user", input }]]));
    expect(toldOf(events)).toEqual(["tool-call", "result rejected"]);
    expect(heard[0]?.text).toContain("Invalid arguments for ask_user");
  });
});

describe("something said to the agent while it works", () => {
  it("is logged at once and reaches it with its next result, marked as the user's", async () => {
    const turn = await start([[touch("a")], [read]]);
    const [requestId = ""] = await asked(turn);
    await turn.steer("Use b instead");
    expect(turn.unsentSteering()).toEqual(["Use b instead"]);
    turn.asks.answerApproval(requestId, { decision: "approved" });
    const events = await eventsOf(turn);
    const said = { type: "notice", kind: "steer", message: "Use b instead" };
    expect(only(events, "notice")).toEqual([said, { ...said, detail: { isHeard: true } }]);
    const marked = /\n\n<user-message key="(\S+)">\nUse b instead\n<\/user-message>$/;
    expect({
      isFirstMarked: marked.test(heard[0]?.text ?? ""),
      hasSecondMessage: heard[1]?.text.includes("user-message"),
    }).toEqual({ isFirstMarked: true, hasSecondMessage: false });
    expect(offered?.system).toContain(`<user-message key="${marked.exec(heard[0]?.text ?? "")?.[1]}">`);
    expect(turn.unsentSteering()).toEqual([]);
  });

  it("is not lost when the turn ends before another result", async () => {
    const turn = await start([[touch("a")]]);
    await asked(turn);
    await turn.steer("One");
    await turn.steer("Two");
    turn.cancel();
    const events = await eventsOf(turn);
    expect([only(events, "notice").length, turn.unsentSteering()]).toEqual([2, ["One", "Two"]]);
    await expect(turn.steer("Three")).rejects.toMatchObject({ code: "not-found" });
    expect(turn.unsentSteering()).toEqual(["One", "Two"]);
  });

  it("is refused where the agent runs its own tools, with what to do instead", async () => {
    rounds = [];
    const turn = await engine.startTurn({ prompt: "x", workspace: project });
    await expect(turn.steer("Stop")).rejects.toMatchObject({
      code: "unsupported",
      fix: "Stop the turn and send this as a new prompt.",
    });
    await turn.settled;
  });
});
