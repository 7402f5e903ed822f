import type { AgentEvent, LaneName } from "@caret/protocol";
import type { ClientTool } from "../tools/bridge/bridge-messages.ts";
import type { ParkedCalls } from "../tools/bridge/parked-calls.ts";
import type { UpstreamAttachment } from "./event-store.ts";

export const turnModes = ["agent", "plan", "ask"] as const;
export type TurnMode = (typeof turnModes)[number];

/** One earlier exchange of the session, for lanes whose upstream remembers nothing. */
export interface HistoryMessage {
  readonly role: "user" | "assistant";
  readonly text: string;
}

/** The client runs the tools of this turn: the agent is offered them, and each call waits for the client's result. */
export interface LaneClientTools {
  readonly tools: readonly ClientTool[];
  readonly system: string;
  readonly realWorkspace: string | undefined;
  /** The agent called one of them. */
  readonly park: ParkedCalls["park"];
  /** The agent's stream mentioned a call, and everything before it has been taken. */
  readonly noteMention: ParkedCalls["noteMention"];
}

/** What a lane is asked to do. Everything in it has been checked: the workspace exists and is allowed. */
export interface LaneRequest {
  readonly turnId: string;
  readonly prompt: string;
  readonly workspace: string;
  readonly model: string;
  readonly mode: TurnMode;
  /** Let the agent run every tool that is not denied. */
  readonly force: boolean;
  /** The upstream session to go on with; it has been verified. */
  readonly upstream: UpstreamAttachment | undefined;
  /** Undefined: the agent runs its own tools. */
  readonly clientTools: LaneClientTools | undefined;
  /** The session's last turn: an agent that was started before it ended does not know of it. */
  readonly previousTurnId: string | undefined;
  /** What was said before in this session, oldest first. Read only by lanes whose upstream remembers nothing. */
  readonly loadHistory: () => Promise<readonly HistoryMessage[]>;
}

export interface LaneContext {
  readonly signal: AbortSignal;
  /** The upstream session became known; told before anything of its answer. */
  readonly onUpstream: (attachment: UpstreamAttachment) => void;
  /** The upstream line behind an event. */
  readonly onRaw: (event: AgentEvent, line: string) => void;
}

/**
 * A way to run a turn.
 *
 * - nothing starts before the first pull of `runTurn`;
 * - its batches are the events of one turn without the `turn-start`; the last of them is the `turn-end`, which comes as
 *   soon as the upstream has ended, before anything is cleaned up;
 * - a failure is a `turn-end`, never a rejection;
 * - aborting the signal, or leaving the loop, frees every process, socket and timer before the iterator settles.
 */
export interface Lane {
  readonly name: LaneName;
  runTurn(request: LaneRequest, context: LaneContext): AsyncIterable<readonly AgentEvent[]>;
  /** Whether the upstream still has the session. Upstreams tend to start anew silently when they have not. */
  canResume(attachment: UpstreamAttachment, workspace: string): boolean;
  /** Make an upstream session ahead of its first turn, where the upstream can. */
  createSession?(workspace: string, signal: AbortSignal): Promise<UpstreamAttachment | undefined>;
  /** Which upstream session a bare id names in a workspace, so that a session made elsewhere can go on here. */
  findSession?(id: string, workspace: string): UpstreamAttachment | undefined;
  close(): Promise<void>;
}
