import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { methods } from "@agentclientprotocol/sdk";
import type { OpenedEngine } from "@caret/cli/src/compose.ts";
import type { AgentEvent, AgentEventOf } from "@caret/protocol";
import { createSessionGrants, type RunningTurn, type TurnRequest } from "@caret/runtime";
import { eventually } from "@caret/runtime/testing/eventually.ts";
import type { ScenarioInput } from "@caret/simulator";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { endOf, playTurn } from "../turns/play-turn.ts";
import { TurnBench } from "../turns/turn-bench.ts";
import { withPlainClient } from "./plain-acp-client.ts";

let bench: TurnBench;
let opened: OpenedEngine;
beforeAll(async () => {
  bench = new TurnBench();
  opened = await bench.open({ settings: { lane: "acp" }, keepWarm: true });
});
afterAll(() => bench.remove());

type Quirks = NonNullable<NonNullable<ScenarioInput["acp"]>["quirks"]>;
type Turns = NonNullable<ScenarioInput["turns"]>;

const stage = (turns: Turns, quirks: Quirks = {}): string =>
  bench.workspace(bench.simulator({ acp: { quirks }, turns }));

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

const touch = { tool: { name: "shell", args: { command: "touch made.txt" } } };
const hello = (prompt: string, workspace: string, more: Partial<TurnRequest> = {}) =>
  playTurn(opened.engine, { prompt, workspace, ...more });

describe("what `agent acp` does that a plain client of the protocol does not expect", () => {
  test("requests that are numbered from 0 are answered, the first as well as the second", async () => {
    const workspace = stage([[touch, { tool: { name: "shell", args: { command: "touch second.txt" } } }]]);
    const { outcome } = await playTurn(
      opened.engine,
      { prompt: "Go", workspace, ...attended() },
      { meanwhile: deciding("approved") },
    );
    expect([
      endOf(outcome),
      existsSync(join(workspace, "made.txt")),
      existsSync(join(workspace, "second.txt")),
    ]).toEqual(["completed", true, true]);
  });

  test("a failure that is text of the answer fails the turn, with its code and its words, and is no answer", async () => {
    const workspace = stage([[{ fail: "unavailable" }]]);
    const plain = await withPlainClient(bench, workspace, async ({ newSession, prompt, text }) => [
      await prompt(await newSession(), "Go"),
      text(),
    ]);
    const { outcome, text } = await hello("Go", workspace);
    expect(plain).toEqual(["end_turn", expect.stringContaining("Error: T: [unavailable]")]);
    expect([text, outcome]).toEqual([
      "",
      { kind: "failed", error: expect.objectContaining({ upstream: expect.stringContaining("[unavailable]") }) },
    ]);
  });

  test("an answer that merely speaks of an error is an answer", async () => {
    const said = "It printed:\n\nError: nothing to do\n\nThat is fine.";
    const { text, outcome } = await hello("Go", stage([[{ text: said, tokensPerDelta: 1 }]]));
    expect([text, endOf(outcome)]).toEqual([said, "completed"]);
  });

  test("a call that was refused and is reported as completed is shown as rejected", async () => {
    const workspace = stage([[touch]]);
    const { events } = await playTurn(
      opened.engine,
      { prompt: "Go", workspace, ...attended() },
      { meanwhile: deciding("rejected") },
    );
    expect(ofType(events, "tool-result").map(({ status }) => status)).toEqual(["rejected"]);
  });

  test("a tool that a cancelled turn leaves open is closed", async () => {
    const slow = stage([[{ tool: { name: "shell", args: { command: "sleep 30" } } }]]);
    const plain = await withPlainClient(bench, slow, async ({ agent, newSession, prompt, updates }) => {
      const sessionId = await newSession();
      const stopped = prompt(sessionId, "Go");
      const inProgress = () =>
        updates.some(({ update }) => update.sessionUpdate === "tool_call_update" && update.status === "in_progress");
      await eventually(inProgress, "the tool");
      await agent.notify(methods.agent.session.cancel, { sessionId });
      await stopped;
      return updates.flatMap(({ update }) => ("status" in update ? [update.status] : []));
    });
    const { events, outcome } = await playTurn(
      opened.engine,
      { prompt: "Go", workspace: slow, ...attended() },
      {
        async meanwhile(turn) {
          deciding("approved")(turn);
          for await (const batch of turn.follow())
            if (batch.some(({ event }) => event.type === "approval-answer")) return turn.cancel("Enough");
        },
      },
    );
    expect(plain.at(-1)).toBe("in_progress");
    expect([outcome.kind, ofType(events, "tool-result").map(({ status }) => status)]).toEqual([
      "cancelled",
      ["interrupted"],
    ]);
  });

  test("a second prompt cancels the first: what a person says meanwhile waits for the next turn", async () => {
    const turns: Turns = [[{ text: "One." }, { delay: 300 }, { text: "Two." }]];
    const plain = await withPlainClient(bench, stage(turns), async ({ newSession, prompt, updates }) => {
      const sessionId = await newSession();
      const first = prompt(sessionId, "Go");
      await eventually(() => updates.length > 1, "the first words");
      await prompt(sessionId, "Be quick");
      return await first;
    });
    const { outcome, text, turn } = await playTurn(
      opened.engine,
      { prompt: "Go", workspace: stage(turns) },
      { meanwhile: (running) => running.steer("Be quick") },
    );
    expect([plain, endOf(outcome), text, turn.unsentSteering()]).toEqual([
      "cancelled",
      "completed",
      "One.Two.",
      ["Be quick"],
    ]);
  });

  test("what a session said before is not said again when another process loads it", async () => {
    const turns: Turns = [[{ text: "First." }], [{ text: "Second." }]];
    const workspace = stage(turns);
    const first = await hello("One", workspace);
    const id = ofType(first.events, "session-ready")[0]?.sessionId ?? "";
    const plain = await withPlainClient(bench, workspace, async ({ agent, prompt, text }) => {
      await agent.request(methods.agent.session.load, { sessionId: id, cwd: workspace, mcpServers: [] });
      await prompt(id, "Two");
      return text();
    });
    const other = await bench.open({ settings: { lane: "acp" } });
    const third = await playTurn(other.engine, { prompt: "Three", sessionId: first.turn.sessionId });
    expect([plain, third.text, third.summary.notices]).toEqual(["First.Second.", "Second.", []]);
    expect(ofType(third.events, "session-ready")[0]?.sessionId).toBe(id);
  });

  test("a plan that is accepted is carried out in the same turn, and one that is rejected is not", async () => {
    const plan = { tool: { name: "createPlan", args: { name: "Letters", plan: "1. Write a.txt" } } };
    const work = {
      when: "accepted the plan",
      steps: [{ tool: { name: "write", args: { path: "a.txt", contents: "A" } } }],
    };
    const turns: Turns = [work, { steps: [plan] }];
    const bare = stage(turns);
    const stopReason = await withPlainClient(
      bench,
      bare,
      async ({ newSession, prompt }) => await prompt(await newSession(), "Plan"),
      { acceptsPlans: true },
    );
    const [accepted, rejected] = [stage(turns), stage(turns, { "plan-as-object": true })];
    const request = { prompt: "Plan", mode: "plan", ...attended() } as const;
    const yes = await playTurn(opened.engine, { ...request, workspace: accepted }, { meanwhile: deciding("approved") });
    const no = await playTurn(opened.engine, { ...request, workspace: rejected }, { meanwhile: deciding("rejected") });
    expect([stopReason, ...[bare, accepted, rejected].map((place) => existsSync(join(place, "a.txt")))]).toEqual([
      "end_turn",
      false,
      true,
      false,
    ]);
    const plans = [yes, no].flatMap(({ events }) => ofType(events, "plan").map(({ name, text }) => [name, text]));
    expect(plans).toEqual([
      ["Letters", "1. Write a.txt"],
      ["Letters", "1. Write a.txt"],
    ]);
  });

  test("servers of a session work because they are approved first", async () => {
    const call = { tool: { server: "local", name: "echo", args: { text: "HELLO" } } };
    const server = fileURLToPath(import.meta.resolve("@caret/simulator/package.json")).replace(
      "package.json",
      "src/mcp/testing/fixture-server.ts",
    );
    const given = { name: "local", command: process.execPath, args: [server], env: [] };
    const outputs = await withPlainClient(bench, stage([[call]]), async ({ newSession, prompt, updates }) => {
      await prompt(await newSession([given]), "Go");
      return updates.flatMap(({ update }) => ("rawOutput" in update ? [update.rawOutput] : []));
    });
    expect(outputs).toEqual([{ error: { error: "MCP server local is not connected", readToolDefReminder: "" } }]);
    const weather = { name: "get_weather", description: "", inputSchema: { type: "object" as const } };
    const { events } = await playTurn(
      opened.engine,
      {
        prompt: "Go",
        workspace: stage([[{ tool: { server: "caret", name: "get_weather", args: {} } }]]),
        clientTools: { tools: [weather], system: "" },
      },
      {
        async meanwhile(turn) {
          await eventually(() => (turn.parked?.open().length ?? 0) > 0, "the call");
          turn.parked?.answer(turn.parked.open()[0]?.callId ?? "", { text: "sunny", isError: false });
        },
      },
    );
    expect(ofType(events, "tool-result").map(({ output }) => output)).toEqual(["sunny"]);
  });

  test("a call of an MCP tool has its server, its name and its arguments, and so has the request about it", async () => {
    const server = fileURLToPath(import.meta.resolve("@caret/simulator/package.json")).replace(
      "package.json",
      "src/mcp/testing/fixture-server.ts",
    );
    mkdirSync(bench.configDir, { recursive: true });
    const mcpServers = { local: { command: process.execPath, args: [server] } };
    writeFileSync(join(bench.configDir, "mcp.json"), JSON.stringify({ mcpServers }));
    const workspace = stage([[{ tool: { server: "local", name: "echo", args: { text: "HELLO" } } }]], {
      "repeated-tool-calls": true,
    });
    const { events } = await playTurn(
      opened.engine,
      { prompt: "Go", workspace, ...attended() },
      { meanwhile: deciding("approved") },
    );
    const named = { server: "local", input: { text: "HELLO" } };
    expect(ofType(events, "tool-call")).toEqual([expect.objectContaining({ ...named, name: "echo", kind: "mcp" })]);
    expect(ofType(events, "approval-request")).toEqual([expect.objectContaining({ ...named, subject: "echo" })]);
    expect(ofType(events, "tool-result")).toEqual([
      expect.objectContaining({ status: "ok", output: expect.stringContaining("HELLO") }),
    ]);
  });

  test("sessions of one process with different models each get their own", async () => {
    const turns: Turns = [[{ delay: 50 }, { text: "Done." }]];
    const workspace = stage(turns);
    const models = ["gpt-5.2", "composer-2.5", "gpt-5.2"];
    const played = await Promise.all(models.map((model) => hello("Go", workspace, { model })));
    const used = played.map(({ events }) => {
      const id = ofType(events, "session-ready")[0]?.sessionId;
      return bench.acpRecords("acp-turn").find(({ sessionId }) => sessionId === id)?.["model"];
    });
    const unknown = await hello("Go", workspace, { model: "gpt-5.22" });
    expect([used, endOf(unknown.outcome)]).toEqual([models, "model-unknown"]);
    expect(bench.acpProcesses(workspace)).toHaveLength(1);
  });

  test("questions that name no session reach the person of the turn that asks", async () => {
    const question = (prompt: string) => ({ question: { prompt, options: ["Yes", "No"] } });
    const workspace = stage([
      { when: "one", steps: [question("First?"), { text: "1" }] },
      { when: "two", steps: [question("Second?"), { text: "2" }] },
    ]);
    const asked: string[] = [];
    const answering = async (turn: RunningTurn) => {
      await eventually(() => turn.asks.open().length > 0, "the question");
      const [{ requestId, request } = { requestId: "", request: undefined }] = turn.asks.open();
      if (request?.type !== "question") throw new Error("It is no question");
      asked.push(request.questions[0]?.prompt ?? "");
      const optionIds = [request.questions[0]?.prompt === "First?" ? "Yes" : "No"];
      turn.asks.answerQuestion(requestId, { answers: [{ questionId: request.questions[0]?.id ?? "", optionIds }] });
    };
    const played = await Promise.all(
      ["one", "two"].map((prompt) =>
        playTurn(opened.engine, { prompt, workspace, ...attended() }, { meanwhile: answering }),
      ),
    );
    const heard = played.map(({ events }) => ofType(events, "tool-result")[0]?.output);
    expect([asked.toSorted(), heard]).toEqual([
      ["First?", "Second?"],
      [expect.stringContaining("Yes"), expect.stringContaining("No")],
    ]);
  });

  test("an agent that makes no session before it was authenticated is authenticated", async () => {
    const workspace = stage([[{ text: "Hello." }]], { "authenticate-first": true });
    const isSilent = await withPlainClient(bench, workspace, async ({ agent, newSession }) => {
      let isMade = false;
      void newSession().then(
        () => {
          isMade = true;
        },
        () => undefined,
      );
      // Asked later, and answered: so the other was not.
      await agent.request("session/list", {});
      return !isMade;
    });
    const { text } = await hello("Go", workspace);
    expect([isSilent, text]).toEqual([true, "Hello."]);
  });

  test("what a subagent says under a session id of its own is not part of the answer", async () => {
    const turns: Turns = [[{ tool: { name: "task", args: { description: "Look" } } }, { text: "Done." }]];
    const plain = await withPlainClient(
      bench,
      stage(turns, { "subagents-apart": true }),
      async ({ newSession, prompt, text }) => {
        await prompt(await newSession(), "Go").catch(() => undefined);
        return text();
      },
    );
    const { text } = await hello("Go", stage(turns, { "subagents-apart": true }));
    expect([plain, text]).toEqual([expect.stringContaining("I am the subagent."), "Done."]);
  });

  test.each([false, true])("todos come through, as notifications: %s", async (isNotification) => {
    const todos = [{ id: "1", content: "Sweep", status: "pending" }];
    const workspace = stage([[{ tool: { name: "updateTodos", args: { todos } } }]], {
      "todos-as-notification": isNotification,
    });
    const { events, outcome } = await hello("Go", workspace);
    expect([endOf(outcome), ofType(events, "todos").map(({ items }) => items)]).toEqual(["completed", [todos]]);
  });

  test("a request that nobody knows is refused at once, by its type, and the turn goes on", async () => {
    const request = (method: string) => ({ acp: { request: { method, params: {} } } });
    const workspace = stage([
      [request("cursor/brand_new"), request("fs/read_text_file"), request("cursor/generate_image"), { text: "Done." }],
    ]);
    const { text } = await hello("Go", workspace);
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
    const { outcome, text } = await hello("Go", stage([[{ text: "Half." }, { acp: { stop: "refusal" } }]]));
    expect([text, outcome]).toEqual([
      "Half.",
      { kind: "failed", error: expect.objectContaining({ message: "The agent refused to go on" }) },
    ]);
  });

  test("an agent without a tool for questions goes on, and nobody is asked", async () => {
    const workspace = stage([[{ question: { prompt: "Tabs?", options: ["Yes"] } }, { text: "Done." }]], {
      "no-ask-question": true,
    });
    const { text, events } = await hello("Go", workspace, attended());
    expect([text, ofType(events, "question"), ofType(events, "tool-result")[0]?.status]).toEqual([
      "Done.",
      [],
      "error",
    ]);
  });
});
