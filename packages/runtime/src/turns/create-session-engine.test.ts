import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AgentEvent, assertWellFormedTurn, CaretError, Secret, type TurnOutcome } from "@caret/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LaneRequest, outcomeOfStop } from "../lanes/lane.ts";
import { createMemoryEventStore } from "../log/testing/memory-event-store.ts";
import { createRedactor } from "../redaction/redactor.ts";
import { withoutMarks } from "../testing/without-marks.ts";
import {
  completedEnd,
  follow,
  type LaneScript,
  says,
  scriptedEngine,
  scriptedLane,
} from "./testing/scripted-engine.ts";

let root: string;
let workspace: string;

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "caret-engine-")));
  workspace = join(root, "workspace");
  mkdirSync(workspace);
  mkdirSync(join(root, "other"));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const answers: LaneScript = async function* () {
  yield says("Hello.");
  yield [completedEnd];
};

/** Works until told to stop. */
const works: LaneScript = async function* (_request, signal) {
  yield says("Working.");
  if (!signal.aborted) await once(signal, "abort");
  yield [{ type: "turn-end", outcome: outcomeOfStop(signal) }];
};

const codeOf = (outcome: TurnOutcome): string => (outcome.kind === "failed" ? outcome.error.code : outcome.kind);
const refusal = (attempt: Promise<unknown>): Promise<string> =>
  attempt.then(
    () => "accepted",
    (reason: unknown) => CaretError.from(reason).code,
  );

describe("starting a turn", () => {
  it("gives a session with a title and a turn with its start, answer and end", async () => {
    const engine = scriptedEngine(scriptedLane(answers), workspace);
    const turn = await engine.startTurn({ prompt: "  Hello there\nand more", workspace, model: "m" });
    const start: AgentEvent = {
      type: "turn-start",
      turnId: turn.turnId,
      lane: "sim",
      model: "m",
      workspace,
      prompt: "  Hello there\nand more",
    };
    expect(await follow(turn)).toEqual([start, ...says("Hello."), completedEnd]);
    expect(await turn.outcome).toEqual({ kind: "completed" });
    expect(await engine.store.getSession(turn.sessionId)).toMatchObject({
      title: "Hello there",
      workspace,
      lane: "sim",
      model: "m",
    });
  });

  it("is refused for what the caller got wrong, and leaves no session behind", async () => {
    const engine = scriptedEngine(scriptedLane(answers), workspace);
    const refusals = [
      engine.startTurn({ prompt: " \n", workspace }),
      engine.startTurn({ prompt: "a\0b", workspace }),
      engine.startTurn({ prompt: "x" }),
      engine.startTurn({ prompt: "x", workspace: join(root, "gone") }),
      engine.startTurn({ prompt: "x", workspace: join(root, "other") }),
      engine.startTurn({ prompt: "x", workspace, lane: "acp" }),
      engine.startTurn({ prompt: "x", workspace, sessionId: "nobody" }),
    ].map(refusal);
    expect(await Promise.all(refusals)).toEqual([
      "invalid-request",
      "invalid-request",
      "invalid-request",
      "workspace-missing",
      "workspace-forbidden",
      "unsupported",
      "session-not-found",
    ]);
    expect((await engine.store.listSessions({})).sessions).toEqual([]);
  });

  it("is refused while another turn of the session runs, even one that only begins", async () => {
    const engine = scriptedEngine(scriptedLane(works), workspace);
    const { id } = await engine.createSession({ workspace });
    const both = [
      engine.startTurn({ prompt: "one", sessionId: id }),
      engine.startTurn({ prompt: "two", sessionId: id }),
    ];
    expect((await Promise.all(both.map(refusal))).sort()).toEqual(["accepted", "session-busy"]);
    expect(await refusal(engine.startTurn({ prompt: "three", sessionId: id }))).toBe("session-busy");
    engine.runningTurn(id)?.cancel();
    await engine.runningTurn(id)?.settled;
    expect(await refusal(engine.startTurn({ prompt: "four", sessionId: id }))).toBe("accepted");
    await engine.close();
  });
});

describe("a turn", () => {
  it("that is cancelled ends so, and is no longer running when it is settled", async () => {
    const engine = scriptedEngine(scriptedLane(works), workspace);
    const turn = await engine.startTurn({ prompt: "x", workspace });
    expect(engine.runningTurns()).toEqual([turn]);
    turn.cancel();
    expect(await turn.outcome).toEqual({ kind: "cancelled" });
    await turn.settled;
    expect(engine.runningTurns()).toEqual([]);
  });

  it.each<[string, LaneScript]>([
    [
      "throws in the middle of a block",
      async function* () {
        yield [
          { type: "text-start", blockId: "b" },
          { type: "tool-call", callId: "c", name: "ls", kind: "read", input: {}, owner: "agent" },
        ];
        throw new Error("a bug");
      },
    ],
    [
      "leaves without an end",
      async function* () {
        yield says("Hm.");
      },
    ],
  ])("whose lane %s is ended by the engine, well formed", async (_name, script) => {
    const engine = scriptedEngine(scriptedLane(script), workspace);
    const turn = await engine.startTurn({ prompt: "x", workspace });
    assertWellFormedTurn(await follow(turn));
    expect(codeOf(await turn.outcome)).toBe("internal");
    expect(await engine.store.runningTurns()).toEqual([]);
  });

  it("that fails after its end has already ended", async () => {
    const script: LaneScript = async function* () {
      yield [completedEnd];
      throw new Error("while cleaning up");
    };
    const engine = scriptedEngine(scriptedLane(script), workspace);
    const turn = await engine.startTurn({ prompt: "x", workspace });
    await turn.settled;
    assertWellFormedTurn((await engine.store.read(turn.sessionId)).map(({ event }) => event));
    expect(await turn.outcome).toEqual({ kind: "completed" });
  });

  it("whose log cannot be written ends its followers, tells why and stops its lane", async () => {
    const store = createMemoryEventStore();
    const append = store.append.bind(store);
    let writes = 0;
    store.append = (...args) => {
      writes += 1;
      return writes > 1 ? Promise.reject(new CaretError("storage-full", "The disk is full")) : append(...args);
    };
    let isFreed = false;
    const script: LaneScript = async function* () {
      try {
        yield says("Hello.");
        yield [completedEnd];
      } finally {
        isFreed = true;
      }
    };
    const engine = scriptedEngine(scriptedLane(script), workspace, { store });
    const turn = await engine.startTurn({ prompt: "x", workspace });
    expect((await follow(turn)).map(({ type }) => type)).toEqual(["turn-start"]);
    expect(codeOf(await turn.outcome)).toBe("storage-full");
    expect(isFreed).toBe(true);
  });

  it("tells its outcome without the secrets of its error", async () => {
    const redactor = createRedactor({ secrets: [new Secret("moss-lantern-71")] });
    const error = new CaretError("upstream-error", "No", { upstream: "key moss-lantern-71 refused" }).toInfo();
    const script: LaneScript = async function* () {
      yield [{ type: "turn-end", outcome: { kind: "failed", error } }];
    };
    const engine = scriptedEngine(scriptedLane(script), workspace, { redactor: () => redactor });
    const turn = await engine.startTurn({ prompt: "x", workspace });
    expect(await turn.outcome).toMatchObject({ error: { upstream: "key [redacted] refused" } });
  });

  it("is interrupted by a close, which waits for those that only begin and refuses the rest", async () => {
    const engine = scriptedEngine(scriptedLane(works), workspace);
    const running = await engine.startTurn({ prompt: "one", workspace });
    const beginning = engine.startTurn({ prompt: "two", workspace });
    const closed = engine.close();
    expect(await refusal(engine.startTurn({ prompt: "three", workspace }))).toBe("overloaded");
    await closed;
    expect([codeOf(await running.outcome), codeOf(await (await beginning).outcome)]).toEqual([
      "interrupted",
      "interrupted",
    ]);
  });
});

describe("going on with a session", () => {
  const attaching: LaneScript = async function* () {
    const sessionId = "chat-1";
    yield [{ event: { type: "session-ready", sessionId }, upstream: { lane: "sim", sessionId } }];
    yield says("Hello.");
    yield [completedEnd];
  };

  it("hands the lane its upstream session, and the turn before", async () => {
    const seen: LaneRequest[] = [];
    const script: LaneScript = (request, signal) => {
      seen.push(request);
      return attaching(request, signal);
    };
    const engine = scriptedEngine(scriptedLane(script), workspace);
    const one = await engine.startTurn({ prompt: "one", workspace });
    await one.settled;
    const two = await engine.startTurn({ prompt: "two", sessionId: one.sessionId });
    await two.settled;
    expect(seen.map(({ prompt, upstream, previousTurnId }) => [prompt, upstream?.sessionId, previousTurnId])).toEqual([
      ["one", undefined, undefined],
      ["two", "chat-1", one.turnId],
    ]);
  });

  it("starts a new chat with the transcript when the upstream lost it, and says so first", async () => {
    const prompts: string[] = [];
    const script: LaneScript = (request, signal) => {
      prompts.push(withoutMarks(request.prompt));
      return attaching(request, signal);
    };
    const engine = scriptedEngine(scriptedLane(script, { canResume: () => false }), workspace);
    const one = await engine.startTurn({ prompt: "one", workspace });
    await one.settled;
    const two = await engine.startTurn({ prompt: "two", sessionId: one.sessionId });
    const [, notice] = await follow(two);
    expect(notice).toMatchObject({ type: "notice", kind: "resume-lost" });
    expect(prompts[1]).toBe("<earlier_conversation>\nUSER:\none\n\nASSISTANT:\nHello.\n</earlier_conversation>\n\ntwo");
  });

  it("adopts one that the lane finds in the workspace", async () => {
    const lane = scriptedLane(attaching, {
      findSession: (id) => (id === "chat-9" ? { lane: "sim", sessionId: id } : undefined),
    });
    const engine = scriptedEngine(lane, workspace);
    const turn = await engine.startTurn({ prompt: "x", workspace, sessionId: "chat-9" });
    await turn.settled;
    const again = await engine.startTurn({ prompt: "y", workspace, sessionId: "chat-9" });
    await again.settled;
    expect([turn.sessionId, again.sessionId]).toEqual(["chat-9", "chat-9"]);
    expect(await refusal(engine.startTurn({ prompt: "x", workspace, sessionId: "chat-8" }))).toBe("session-not-found");
  });

  it("keeps the upstream session before anything of the answer is emitted", async () => {
    const engine = scriptedEngine(scriptedLane(attaching), workspace);
    const turn = await engine.startTurn({ prompt: "x", workspace });
    for await (const batch of turn.follow()) {
      if (!batch.some(({ event }) => event.type === "text-start")) continue;
      const session = await engine.store.getSession(turn.sessionId);
      expect(session?.upstream).toEqual([{ lane: "sim", sessionId: "chat-1" }]);
    }
  });
});

describe("a budget", () => {
  const spends: LaneScript = async function* (_request, signal) {
    yield [{ type: "usage", usage: { input: 100 } }];
    if (!signal.aborted) yield says("Going on.");
    yield [{ type: "turn-end", outcome: signal.aborted ? outcomeOfStop(signal) : { kind: "completed" } }];
  };
  const budgets = (tokens: number) => ({ budgets: () => ({ turn: { tokens }, session: {}, day: {} }) });

  it("that is used up during a turn stops it, and names the budget", async () => {
    const engine = scriptedEngine(scriptedLane(spends), workspace, budgets(100));
    const turn = await engine.startTurn({ prompt: "x", workspace });
    assertWellFormedTurn(await follow(turn));
    expect(await turn.outcome).toMatchObject({
      error: { code: "budget-exceeded", fix: expect.stringContaining("budgets.turn") },
    });
  });

  it("that is not used up lets it go on", async () => {
    const engine = scriptedEngine(scriptedLane(spends), workspace, budgets(1_000));
    const turn = await engine.startTurn({ prompt: "x", workspace });
    expect(await turn.outcome).toEqual({ kind: "completed" });
  });

  it("that was used up before keeps the lane from starting at all", async () => {
    let starts = 0;
    const script: LaneScript = (request, signal) => {
      starts += 1;
      return spends(request, signal);
    };
    const limits = { budgets: () => ({ turn: {}, session: { tokens: 100 }, day: {} }) };
    const engine = scriptedEngine(scriptedLane(script), workspace, limits);
    const one = await engine.startTurn({ prompt: "one", workspace });
    await one.settled;
    const two = await engine.startTurn({ prompt: "two", sessionId: one.sessionId });
    expect([codeOf(await two.outcome), starts]).toEqual(["budget-exceeded", 1]);
  });
});
