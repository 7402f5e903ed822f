import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type AgentEvent, CaretError, type LaneName } from "@caret/protocol";
import {
  createSessionGrants,
  type LaneFeature,
  type RunningTurn,
  type SessionEngine,
  type TurnRequest,
} from "@caret/runtime";
import { isFullRun } from "@caret/runtime/testing/bar-size.ts";
import { eventually } from "@caret/runtime/testing/eventually.ts";
import type { ScenarioInput } from "@caret/simulator";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { endOf, playTurn } from "../turns/play-turn.ts";
import { type BenchSettings, TurnBench } from "../turns/turn-bench.ts";

type Step = Extract<NonNullable<ScenarioInput["turns"]>[number], readonly unknown[]>[number];

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
  /** What the lane says that it can do. */
  readonly features: readonly LaneFeature[];
  /** Each test starts a process of its own: what is the engine's work more than the lane's is left to the full run. */
  readonly isSlow?: true;
  /** How its upstream fails after it has spoken; by default in words of its own. */
  readonly failsLate?: Step;
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
export function describeLane(name: string, { lane, features, isSlow, open, ...more }: LaneUnderTest): void {
  const engineTest = test.runIf(isSlow === undefined || isFullRun());
  const can = (feature: LaneFeature): boolean => features.includes(feature);
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
        ...(can("usage") ? [9, 4] : [undefined, undefined]),
      ]);
      expect(events[0]).toMatchObject({ type: "turn-start", lane, prompt: "How is it?" });
      expect(events.some((event) => event.type === "thinking-delta")).toBe(can("thinking"));
    });

    test("the next turn of a session goes on in the same upstream session, and says so to nobody", async () => {
      const { engine, workspace } = await start();
      const first = await playTurn(engine, { prompt: "My name is Ada.", workspace });
      const second = await playTurn(engine, { prompt: "What is my name?", sessionId: first.turn.sessionId });
      expect([second.text, second.summary.notices]).toEqual([expect.stringContaining("Ada"), []]);
      if (!can("resume")) return;
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

    engineTest("three calls one after the other take one run, and each is logged where the agent made it", async () => {
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

    engineTest("a turn that is cancelled while a call waits ends at once, and nothing of it is left", async () => {
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

    engineTest("a client's call that repeats itself in vain is warned, refused, and ends the turn", async () => {
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

    engineTest(
      "a budget that is used up stops the next turn before the upstream is asked, and one that cannot be held says so",
      async () => {
        const { engine, workspace, runs } = await start(
          { turns: [[{ text: "Done." }, { usage: { inputTokens: 900, outputTokens: 100 } }]] },
          { budgets: { session: { tokens: 1_000 } } },
        );
        const first = await playTurn(engine, { prompt: "one", workspace });
        const second = await playTurn(engine, { prompt: "two", sessionId: first.turn.sessionId });
        expect([endOf(first.outcome), endOf(second.outcome), runs()]).toEqual(
          can("usage") ? ["completed", "budget-exceeded", 1] : ["completed", "completed", 2],
        );
        const warned = second.summary.notices.filter(({ kind }) => kind === "budget-warning").length;
        expect(warned).toBe(can("usage") ? 0 : 1);
      },
    );

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

    test("an agent with tools of its own runs them where it works, and one without is refused each of them", async () => {
      const { engine, workspace } = await start();
      const { events } = await playTurn(engine, { prompt: "Run `touch made.txt`", workspace, force: true });
      expect([existsSync(join(workspace, "made.txt")), resultsIn(events).includes("ok")]).toEqual(
        can("agent-tools") ? [true, true] : [false, false],
      );
    });

    /** A turn that a person attends: by the agent's own tools where the lane asks about them, else by the gateway's. */
    const attended = (agentsPlace: string): Omit<TurnRequest, "prompt"> & { readonly workspace: string } => {
      const grants = createSessionGrants({ newId: randomUUID, now: Date.now });
      const other = bench.workspace();
      const realWorkspace = can("approvals") ? agentsPlace : other;
      return {
        workspace: realWorkspace,
        agentWorkspace: can("approvals") ? other : agentsPlace,
        attended: true,
        agentTools: { permission: "auto-edits", grants },
        gatewayTools: { system: "", realWorkspace, permission: "auto-edits", grants },
      };
    };
    const runner = can("approvals") ? "agent" : "gateway";

    test("a person who attends is asked before a command runs, and what is rejected does not run", async () => {
      const { engine, workspace } = await start();
      /** As often as the agent asks. */
      const decide = (decision: "approved" | "rejected") => (turn: RunningTurn) =>
        turn.asks.onChange(() => {
          for (const { requestId } of turn.asks.open()) turn.asks.answerApproval(requestId, { decision });
        });
      const terms = attended(workspace);
      const played = await playTurn(
        engine,
        { prompt: "Run `touch yes.txt`", ...terms },
        { meanwhile: decide("approved") },
      );
      const refused = await playTurn(
        engine,
        { prompt: "Run `touch no.txt`", ...terms },
        { meanwhile: decide("rejected") },
      );
      const isThere = (file: string): boolean => existsSync(join(terms.workspace, file));
      expect([isThere("yes.txt"), isThere("no.txt")]).toEqual([true, false]);
      expect([...callsIn(played.events).slice(0, 2), ...callsIn(refused.events).slice(0, 2)]).toEqual([
        expect.objectContaining({ owner: runner }),
        expect.objectContaining({ status: "ok" }),
        expect.objectContaining({ owner: runner }),
        expect.objectContaining({ status: "rejected" }),
      ]);
    });

    test("a person who attends answers the agent's question, and the agent goes on with the answer", async () => {
      const prompt = "Tabs?";
      const options = ["Yes", "No"].map((id) => ({ id, label: id }));
      const asks = can("questions")
        ? { question: { prompt, options: ["Yes", "No"] } }
        : { tool: { server: "caret", name: "ask_user", args: { questions: [{ id: "tabs", prompt, options }] } } };
      const { engine, workspace } = await start({ turns: [[asks, { text: "As you wish." }]] });
      const { events } = await playTurn(
        engine,
        { prompt: "Go", ...attended(workspace) },
        {
          async meanwhile(turn) {
            await eventually(() => turn.asks.open().length > 0, "the question");
            const [asked] = turn.asks.open();
            if (asked?.request.type !== "question") throw new Error("It is no question");
            const [{ id = "" } = {}] = asked.request.questions;
            turn.asks.answerQuestion(asked.requestId, { answers: [{ questionId: id, optionIds: ["No"] }] });
          },
        },
      );
      const answers = events.flatMap((event) => (event.type === "question-answer" ? [event.outcome] : []));
      const heard = events.flatMap((event) => (event.type === "tool-result" ? [event.output] : []));
      expect([answers, heard]).toEqual([["answered"], [expect.stringContaining("No")]]);
    });

    test("a plan waits for the person who attends where the lane asks, and is only shown elsewhere", async () => {
      const { engine, workspace } = await start({
        turns: [
          { when: "accepted the plan", steps: [{ tool: { name: "write", args: { path: "a.txt", contents: "A" } } }] },
          { steps: [{ tool: { name: "createPlan", args: { name: "Letters", plan: "1. Write a.txt" } } }] },
        ],
      });
      const { agentTools } = attended(workspace);
      const { events } = await playTurn(
        engine,
        { prompt: "Plan it", workspace, mode: "plan", attended: true, ...(agentTools && { agentTools }) },
        {
          async meanwhile(turn) {
            if (!can("plans")) return;
            await eventually(() => turn.asks.open().length > 0, "the plan");
            turn.asks.answerApproval(turn.asks.open()[0]?.requestId ?? "", { decision: "approved" });
          },
        },
      );
      const byPerson = events.some((event) => event.type === "approval-answer" && event.by === "person");
      expect([byPerson, existsSync(join(workspace, "a.txt"))]).toEqual([can("plans"), can("plans")]);
    });

    test("an image goes where the agent is given it, and is refused by name where it could not look at it", async () => {
      const { engine, workspace } = await start({ turns: [[{ text: "A dot." }]] });
      const path = join(bench.directory, "dot.png");
      writeFileSync(path, Buffer.from(PNG, "base64"));
      const images = [{ path, mediaType: "image/png" }];
      const started = engine.startTurn({ prompt: "What is it?", images, ...attended(workspace) });
      if (can("images")) expect(endOf(await (await started).outcome)).toBe("completed");
      else await expect(started).rejects.toMatchObject({ code: "unsupported" });
    });

    test("what a person says to a turn reaches its agent where the lane can, and is never taken for heard elsewhere", async () => {
      const { engine, workspace } = await start({
        turns: [[{ text: "Working." }, { delay: can("steering") ? 2_000 : 50 }, { text: "Done." }]],
      });
      const { events } = await playTurn(
        engine,
        { prompt: "Go", workspace, force: true },
        {
          async meanwhile(turn) {
            for await (const batch of turn.follow()) if (batch.some(({ event }) => event.type === "text-delta")) break;
            await turn.steer("Be quick").catch((reason: unknown) => {
              if (!CaretError.is(reason) || reason.code !== "unsupported") throw reason;
            });
          },
        },
      );
      const heard = events.some(
        (event) => event.type === "notice" && event.kind === "steer" && Object(event.detail).isHeard === true,
      );
      expect(heard).toBe(can("steering"));
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

    engineTest("a turn that fails after it has spoken keeps what was said, and is not tried again", async () => {
      const { failsLate = { fail: "unavailable" } } = more;
      const { engine, workspace, runs } = await start({ turns: [[{ text: "Half." }, failsLate]] });
      const { outcome, text } = await playTurn(engine, { prompt: "Hello", workspace });
      expect([text, outcome.kind, runs()]).toEqual(["Half.", "failed", 1]);
    });
  });
}

function resultsIn(events: readonly AgentEvent[]): readonly string[] {
  return events.flatMap((event) => (event.type === "tool-result" ? [event.status] : []));
}

/** One dot. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=";

function isClientCall({ event }: { readonly event: AgentEvent }): boolean {
  return event.type === "tool-call" && event.owner === "client";
}
