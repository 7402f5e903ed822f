import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentEvent, LaneName } from "@caret/protocol";
import type { RunningTurn, SessionEngine, TurnRequest } from "@caret/runtime";
import { eventually } from "@caret/runtime/testing/eventually.ts";
import type { ScenarioInput } from "@caret/simulator";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { endOf, playTurn } from "../turns/play-turn.ts";
import { type BenchSettings, TurnBench } from "../turns/turn-bench.ts";

/** A lane with its upstream, which plays a scenario or thinks for itself. */
export interface LaneStage {
  readonly engine: SessionEngine;
  /** Where turns work; made for this stage. */
  readonly workspace: string;
  /** How many times the upstream was asked for a turn. */
  runs(): number;
  /** What of the upstream's turns is still alive: processes, or streams. */
  leftovers(): number;
  close(): Promise<void>;
}

export interface LaneUnderTest {
  readonly lane: LaneName;
  open(bench: TurnBench, scenario: ScenarioInput | undefined, settings: BenchSettings): Promise<LaneStage>;
}

const weather = {
  name: "get_weather",
  description: "The weather of a city",
  inputSchema: { type: "object", properties: { city: { type: "string" } } },
} as const;

const clientTools: NonNullable<TurnRequest["clientTools"]> = { tools: [weather], system: "Be brief." };
const askWeather = { tool: { server: "caret", name: "get_weather", args: { city: "Oslo" } } };

/** What every lane does the same, whatever its upstream speaks: owners, log, budgets, loops, ends. */
export function describeLane(name: string, { lane, open }: LaneUnderTest): void {
  describe(`the contract of lanes: ${name}`, () => {
    let bench: TurnBench;
    let stage: LaneStage | undefined;
    beforeEach(() => {
      bench = new TurnBench();
    });
    afterEach(async () => {
      await stage?.close();
      stage = undefined;
      await bench.remove();
    });

    const start = async (scenario?: ScenarioInput, settings: BenchSettings = {}): Promise<LaneStage> => {
      stage = await open(bench, scenario, settings);
      return stage;
    };

    /** Answers each call as soon as it is made, until the turn ends. */
    const answering =
      (answer: (callIndex: number) => string) =>
      async (turn: RunningTurn): Promise<void> => {
        let count = 0;
        for await (const batch of turn.follow())
          for (const { event } of batch.filter(isClientCall)) {
            turn.parked?.answer((event as { callId: string }).callId, { text: answer(count), isError: false });
            count += 1;
          }
      };

    const callsIn = (events: readonly AgentEvent[]): readonly object[] =>
      events.flatMap((event): readonly object[] => {
        if (event.type === "tool-call") return [{ call: event.name, input: event.input, owner: event.owner }];
        return event.type === "tool-result" ? [{ result: event.output, status: event.status }] : [];
      });

    test("what the agent thinks and says is logged in order, with what upstream reported as usage", async () => {
      const { engine, workspace } = await start({
        turns: [
          [{ thinking: "Let me see." }, { text: "All is well." }, { usage: { inputTokens: 9, outputTokens: 4 } }],
        ],
      });
      const { events, text, summary } = await playTurn(engine, { prompt: "How is it?", workspace });
      expect([text, summary.outcome, summary.usage?.input, summary.usage?.output]).toEqual([
        "All is well.",
        { kind: "completed" },
        9,
        4,
      ]);
      expect(events[0]).toMatchObject({ type: "turn-start", lane, prompt: "How is it?" });
      expect(events.some((event) => event.type === "thinking-delta")).toBe(true);
    });

    test("the next turn of a session goes on in the same upstream session, and says so to nobody", async () => {
      const { engine, workspace } = await start();
      const first = await playTurn(engine, { prompt: "My name is Ada.", workspace });
      const second = await playTurn(engine, { prompt: "What is my name?", sessionId: first.turn.sessionId });
      expect([second.text, second.summary.notices]).toEqual([expect.stringContaining("Ada"), []]);
      const ready = [first, second].map(({ events }) => events.find(({ type }) => type === "session-ready"));
      expect(ready[1]).toMatchObject({ sessionId: (ready[0] as { sessionId: string }).sessionId });
    });

    test("a call of the client's tool waits for its result, and the same run of the upstream goes on with it", async () => {
      const { engine, workspace, runs } = await start({
        turns: [[{ text: "Asking." }, askWeather, { text: "Done." }]],
      });
      const { events, text } = await playTurn(
        engine,
        { prompt: "Weather?", workspace, clientTools },
        { meanwhile: answering(() => "sunny") },
      );
      expect([text, runs()]).toEqual(["Asking.Done.", 1]);
      expect(callsIn(events)).toEqual([
        { call: "get_weather", input: { city: "Oslo" }, owner: "client" },
        { result: "sunny", status: "ok" },
      ]);
    });

    test("three calls one after the other take one run, and each is logged where the agent made it", async () => {
      const { engine, workspace, runs } = await start({
        turns: [[{ text: "1" }, askWeather, { text: "2" }, askWeather, { text: "3" }, askWeather, { text: "4" }]],
      });
      const { events } = await playTurn(
        engine,
        { prompt: "Weather?", workspace, clientTools },
        { meanwhile: answering((index) => `day ${index}`) },
      );
      const story = events.flatMap((event) => {
        if (event.type === "text-delta") return [event.text];
        return event.type === "tool-result" ? [event.output] : [];
      });
      expect([story, runs()]).toEqual([["1", "day 0", "2", "day 1", "3", "day 2", "4"], 1]);
    });

    test("a turn that is cancelled while a call waits ends at once, and nothing of it is left", async () => {
      const { engine, workspace, leftovers } = await start({ turns: [[askWeather, { text: "Done." }]] });
      const { events, outcome } = await playTurn(
        engine,
        { prompt: "Weather?", workspace, clientTools },
        {
          async meanwhile(turn) {
            await eventually(() => (turn.parked?.open().length ?? 0) > 0, "the call to wait");
            turn.cancel("Never mind");
          },
        },
      );
      expect([outcome.kind, callsIn(events).at(-1)]).toEqual([
        "cancelled",
        expect.objectContaining({ status: "interrupted" }),
      ]);
      await eventually(() => leftovers() === 0, "everything of the turn to be gone");
    });

    test("a client's call that repeats itself in vain is warned, refused, and ends the turn", async () => {
      const again = Array.from({ length: 12 }, () => askWeather);
      const { engine, workspace } = await start({ turns: [[...again, { text: "Done." }]] });
      const { outcome, events } = await playTurn(
        engine,
        { prompt: "Weather?", workspace, clientTools },
        { meanwhile: answering(() => "the same") },
      );
      expect(endOf(outcome)).toBe("loop-stopped");
      expect(events.filter((event) => event.type === "notice").map(({ kind }) => kind)).toContain("loop-warning");
    });

    test("the gateway's tools are run under its policy, in the user's workspace", async () => {
      const { engine, workspace } = await start();
      const realWorkspace = bench.workspace();
      writeFileSync(join(realWorkspace, "notes.txt"), "the tide is high");
      const gatewayTools = { system: "", realWorkspace } as const;
      const read = await playTurn(engine, { prompt: "Read notes.txt", workspace, gatewayTools });
      expect(callsIn(read.events)).toEqual([
        {
          call: "read",
          input: expect.objectContaining({ path: expect.stringMatching(/notes\.txt$/) }),
          owner: "gateway",
        },
        { result: "the tide is high", status: "ok" },
      ]);
      const denied = await playTurn(engine, { prompt: "Run `touch made.txt`", workspace, gatewayTools });
      expect(callsIn(denied.events).at(-1)).toMatchObject({ status: "rejected" });
      expect(() => readFileSync(join(realWorkspace, "made.txt"))).toThrow("ENOENT");
    });

    test("a budget that is used up stops the next turn before the upstream is asked", async () => {
      const { engine, workspace, runs } = await start(
        { turns: [[{ text: "Done." }, { usage: { inputTokens: 900, outputTokens: 100 } }]] },
        { budgets: { session: { tokens: 1_000 } } },
      );
      const first = await playTurn(engine, { prompt: "one", workspace });
      const second = await playTurn(engine, { prompt: "two", sessionId: first.turn.sessionId });
      expect([endOf(first.outcome), endOf(second.outcome), runs()]).toEqual(["completed", "budget-exceeded", 1]);
    });

    test("a turn that is cancelled while the agent speaks keeps what was said, and nothing of it is left", async () => {
      const { engine, workspace, leftovers } = await start({ turns: [[{ text: "Half." }, { hang: true }]] });
      const { text, outcome } = await playTurn(
        engine,
        { prompt: "Go on", workspace },
        {
          async meanwhile(turn) {
            for await (const batch of turn.follow())
              if (batch.some(({ event }) => event.type === "text-delta")) return turn.cancel("Enough");
          },
        },
      );
      expect([text, outcome.kind]).toEqual(["Half.", "cancelled"]);
      await eventually(() => leftovers() === 0, "everything of the turn to be gone");
    });

    test("a refusal of the upstream's is an error with a code, the upstream's words and a way out", async () => {
      const { engine, workspace } = await start({ turns: [[{ fail: "usage-limit" }]] });
      const { outcome, text } = await playTurn(engine, { prompt: "Hello", workspace });
      expect([text, outcome]).toEqual([
        "",
        {
          kind: "failed",
          error: expect.objectContaining({
            code: "usage-limit",
            fix: expect.stringMatching(/./),
            upstream: expect.stringMatching(/./),
          }),
        },
      ]);
    });

    test("a turn that fails after it has spoken keeps what was said, and is not tried again", async () => {
      const { engine, workspace, runs } = await start({ turns: [[{ text: "Half." }, { fail: "unavailable" }]] });
      const { outcome, text } = await playTurn(engine, { prompt: "Hello", workspace });
      expect([text, outcome.kind, runs()]).toEqual(["Half.", "failed", 1]);
    });
  });
}

function isClientCall({ event }: { readonly event: AgentEvent }): boolean {
  return event.type === "tool-call" && event.owner === "client";
}
