import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CaretError } from "@caret/protocol";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Lane, LaneEntry, LaneRequest } from "../lanes/lane.ts";
import { createInlineSpawner } from "../process/spawner/create-spawner.ts";
import { testEnv } from "../process/testing/workbench.ts";
import { withoutMarks } from "../testing/without-marks.ts";
import type { RunningTurn, SessionEngine, TurnRequest } from "./session-engine.ts";
import { completedEnd, follow, says, scriptedEngine, scriptedLane } from "./testing/scripted-engine.ts";

/** An upstream that keeps each chat with the directory it was begun in, as the official CLI does. */
let directory: string;
let project: string;
let scratch: string;
let engine: SessionEngine;
let requests: LaneRequest[];
const spawner = createInlineSpawner({});
beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "caret-agent-workspace-")));
  project = join(directory, "project");
  scratch = join(directory, "scratch");
  mkdirSync(project);
  mkdirSync(scratch);
  requests = [];
  openEngine();
});
afterEach(async () => {
  await engine.close();
  rmSync(directory, { recursive: true, force: true });
});
afterAll(() => spawner.close());

function openEngine(more: Partial<Lane> = {}): void {
  const lane = scriptedLane(
    async function* (request) {
      requests.push({ ...request, prompt: withoutMarks(request.prompt) });
      const sessionId = request.upstream?.sessionId ?? `${request.workspace} ${requests.length}`;
      const ready: LaneEntry = { event: { type: "session-ready", sessionId }, upstream: { lane: "sim", sessionId } };
      yield [ready, ...says(`answer ${requests.length}`)];
      yield [completedEnd];
    },
    { canResume: ({ sessionId }, workspace) => sessionId.startsWith(`${workspace} `), ...more },
  );
  const policy = { mode: "full", rules: [] } as const;
  const toolbox = { policy, servers: [], spawner, env: testEnv, outputsDir: directory };
  engine = scriptedEngine(lane, directory, { toolbox });
}

const byGateway = (): Partial<TurnRequest> => ({
  agentWorkspace: scratch,
  gatewayTools: { system: "", realWorkspace: project },
});

async function play(request: Partial<TurnRequest>): Promise<RunningTurn> {
  const turn = await engine.startTurn({ prompt: "first", ...request });
  await turn.settled;
  return turn;
}

async function noticesOf(turn: RunningTurn): Promise<readonly string[]> {
  return (await follow(turn)).flatMap((event) => (event.type === "notice" ? [event.kind] : []));
}

async function codeOf(turn: Promise<unknown>): Promise<string> {
  return await turn.then(
    () => "none",
    (reason: unknown) => CaretError.from(reason).code,
  );
}

const transcript = "<earlier_conversation>\nUSER:\nfirst\n\nASSISTANT:\nanswer 1\n</earlier_conversation>\n\nsecond";

describe("an agent that works elsewhere than its session", () => {
  it("is started there, while the session is that of the user's workspace", async () => {
    const turn = await play({ workspace: project, ...byGateway() });
    const [start] = await follow(turn);
    const session = await engine.store.getSession(turn.sessionId);
    expect([requests[0]?.workspace, session?.workspace, start]).toEqual([
      scratch,
      project,
      expect.objectContaining({ type: "turn-start", workspace: project }),
    ]);
  });

  it("goes on with its chat in the next turn", async () => {
    const { sessionId } = await play({ workspace: project, ...byGateway() });
    const next = await play({ prompt: "second", sessionId, ...byGateway() });
    expect([requests[1]?.upstream?.sessionId, requests[1]?.prompt, await noticesOf(next)]).toEqual([
      `${scratch} 1`,
      "second",
      [],
    ]);
  });

  it.each([
    ["the agent", "the gateway", false],
    ["the gateway", "the agent", true],
  ])("is sent the transcript when %s ran the tools before and %s does now", async (_before, _now, gatewayFirst) => {
    const [first, second] = gatewayFirst ? [byGateway(), {}] : [{}, byGateway()];
    const { sessionId } = await play({ workspace: project, ...first });
    const next = await play({ prompt: "second", sessionId, ...second });
    expect([requests[1]?.upstream, requests[1]?.prompt, await noticesOf(next)]).toEqual([
      undefined,
      transcript,
      ["resume-lost"],
    ]);
  });

  it("must not work where its tools do, since its settings are written there; nothing is left of the attempt", async () => {
    const gatewayTools = { system: "", realWorkspace: project };
    expect(await codeOf(play({ workspace: project, gatewayTools }))).toBe("invalid-request");
    expect(await codeOf(play({ workspace: project, agentWorkspace: project, gatewayTools }))).toBe("invalid-request");
    expect((await engine.store.listSessions()).sessions).toEqual([]);
    const { sessionId } = await play({ workspace: project });
    expect(await codeOf(play({ sessionId, gatewayTools }))).toBe("invalid-request");
  });

  it("must have a client or the gateway to run its tools, and work where turns may work", async () => {
    expect(await codeOf(play({ workspace: project, agentWorkspace: scratch }))).toBe("invalid-request");
    expect(await codeOf(play({ workspace: project, ...byGateway(), agentWorkspace: "/" }))).toBe("workspace-forbidden");
  });
});

describe("a session that the upstream never had", () => {
  /** Copies the first session's contents, as a fork does. */
  async function fork(sessionId: string): Promise<string> {
    const events = await engine.store.read(sessionId);
    await engine.store.createSession({ id: "fork", workspace: project, lane: "sim", createdAt: 1 });
    const entries = events.map(({ turnId, event }) => ({ turnId, event }));
    await engine.store.append("fork", 0, entries);
    return "fork";
  }

  it("is sent to it with the next prompt, with a notice", async () => {
    const { sessionId } = await play({ workspace: project });
    const next = await play({ prompt: "second", sessionId: await fork(sessionId) });
    expect([requests[1]?.upstream, requests[1]?.prompt, await noticesOf(next)]).toEqual([
      undefined,
      transcript,
      ["resume-lost"],
    ]);
  });

  it("is not repeated in the prompt for one that is given the history with every turn", async () => {
    await engine.close();
    openEngine({ keepsSessions: () => false });
    const { sessionId } = await play({ workspace: project });
    const next = await play({ prompt: "second", sessionId: await fork(sessionId) });
    expect([requests[1]?.prompt, await noticesOf(next)]).toEqual(["second", []]);
  });
});
