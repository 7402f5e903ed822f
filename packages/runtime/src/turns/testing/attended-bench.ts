import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AgentEvent, type AgentEventOf, assertWellFormedTurn } from "@caret/protocol";
import type { ToolCall, ToolResult } from "../../calls/tool-call.ts";
import { outcomeOfStop } from "../../lanes/lane.ts";
import type { Spawner } from "../../process/child-handle.ts";
import { testEnv } from "../../process/testing/workbench.ts";
import type { GatewayToolsRequest, RunningTurn, SessionEngine, TurnRequest } from "../session-engine.ts";
import { completedEnd, follow, scriptedEngine, scriptedLane } from "./scripted-engine.ts";

type ApprovalRequest = AgentEventOf<"approval-request">;

/** An engine whose agent only calls tools, one round after the other; tools, policy and guard are real. */
export class AttendedBench {
  readonly directory = realpathSync(mkdtempSync(join(tmpdir(), "caret-attended-")));
  readonly project = join(this.directory, "project");
  readonly engine: SessionEngine;
  /** The results that the agent got for its calls. */
  readonly heard: ToolResult[] = [];
  #rounds: readonly (readonly ToolCall[])[] = [];

  constructor(spawner: Spawner) {
    mkdirSync(this.project);
    mkdirSync(join(this.directory, "scratch"));
    const script = async function* (this: AttendedBench, ...[asked, signal]: Parameters<Script>) {
      for (const calls of this.#rounds) {
        if (signal.aborted) break;
        for (const call of calls) asked.offered?.announce(call);
        const results = await Promise.all(calls.map((call) => asked.offered?.call(call, signal)));
        this.heard.push(...results.filter((result) => result !== undefined));
      }
      yield signal.aborted ? [{ type: "turn-end", outcome: outcomeOfStop(signal) } as const] : [completedEnd];
    };
    const policy = { mode: "full", rules: [] } as const;
    const toolbox = { policy, servers: [], spawner, env: testEnv, outputsDir: this.directory };
    this.engine = scriptedEngine(scriptedLane(script.bind(this)), this.directory, { toolbox });
  }

  /** A turn in which the agent makes these calls, round by round. */
  async start(
    rounds: readonly (readonly ToolCall[])[],
    tools: Partial<GatewayToolsRequest> = {},
    more: Partial<TurnRequest> = {},
  ): Promise<RunningTurn> {
    this.#rounds = rounds;
    const gatewayTools = { system: "", realWorkspace: this.project, permission: "supervised", ...tools } as const;
    return await this.engine.startTurn({
      prompt: "Go on",
      ...(more.sessionId === undefined ? { workspace: this.project } : {}),
      agentWorkspace: join(this.directory, "scratch"),
      attended: true,
      gatewayTools,
      ...more,
    });
  }

  write(name: string, content: string): void {
    writeFileSync(join(this.project, name), content);
  }

  read(name: string): string {
    return readFileSync(join(this.project, name), "utf8");
  }

  /** The names in the project, in order. */
  names(): readonly string[] {
    return readdirSync(this.project).toSorted();
  }

  async remove(): Promise<void> {
    await this.engine.close();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

type Script = Parameters<typeof scriptedLane>[0];

/** Waits until this many approvals are open, and returns them. */
export async function askedFor(turn: RunningTurn, count = 1): Promise<readonly ApprovalRequest[]> {
  const open = (): readonly ApprovalRequest[] =>
    turn.asks.open().flatMap(({ request }) => (request.type === "approval-request" ? [request] : []));
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = (): void => {
    if (open().length >= count) resolve();
  };
  const stop = turn.asks.onChange(look);
  look();
  await promise;
  stop();
  return open();
}

/** Approves everything that is asked, and returns it. */
export function approveAll(turn: RunningTurn): readonly ApprovalRequest[] {
  const asked: ApprovalRequest[] = [];
  const stop = turn.asks.onChange(() => {
    for (const { request, requestId } of turn.asks.open())
      if (request.type === "approval-request" && turn.asks.answerApproval(requestId, { decision: "approved" }))
        asked.push(request);
  });
  void turn.settled.then(stop);
  return asked;
}

export async function eventsOf(turn: RunningTurn): Promise<readonly AgentEvent[]> {
  const events = await follow(turn);
  await turn.settled;
  assertWellFormedTurn(events);
  return events;
}

export function only<Type extends AgentEvent["type"]>(
  events: readonly AgentEvent[],
  type: Type,
): readonly AgentEventOf<Type>[] {
  return events.filter((event): event is AgentEventOf<Type> => event.type === type);
}
