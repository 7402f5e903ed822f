import type { AgentEvent, TurnOutcome } from "@caret/protocol";
import type { NamespacedTool } from "../lanes/bridge/agent-tools.ts";
import type { ClientConnection } from "../process/find-client-process.ts";
import type { Transcript } from "./matching/transcript.ts";

/** What a client says about the model, before anyone has looked it up. */
export interface RequestedModel {
  readonly model: string | undefined;
  readonly cursorModel: string | undefined;
  readonly effort: string | undefined;
  readonly thinking: boolean | undefined;
}

/** A request of a stateless door: as much of it as a desk needs. */
export interface DeskRequest extends Transcript {
  readonly tools: readonly NamespacedTool[];
  /** Tools of the request that nobody here can run, by their types. */
  readonly unavailableTools: readonly string[];
  readonly toolChoice: "auto" | "none" | "required" | { readonly name: string };
  readonly callableTools: readonly string[] | undefined;
  readonly parallelCalls: boolean;
  readonly wish: RequestedModel;
  /** A digest of what else the answer depends on, such as the temperature. */
  readonly sampling?: string | undefined;
  readonly sessionKey: string | undefined;
  /** The name of a coding client that offers tools in all its conversations; undefined for any other. */
  readonly codingClient?: string | undefined;
  /** The client says itself that this is no part of a conversation. */
  readonly isSideCall?: boolean | undefined;
  /** The client's name for this request: it begins one turn, however often it is sent. */
  readonly idempotencyKey?: string | undefined;
  /** The client is answered in one piece, so that it sees nothing before the end. */
  readonly isWhole?: boolean | undefined;
  /** Which door it came in by. */
  readonly door?: string;
  readonly workspace: string | undefined;
  /** Who is to run the tools, as the client writes it. */
  readonly owner: string | undefined;
}

export interface DeskCaller {
  readonly tokenName: string;
  readonly workspace: string | undefined;
  /** Where the request came from. */
  readonly connection?: ClientConnection | undefined;
}

/** One client's share in a turn. See the gateway's `DoorTurn`, whose contract it keeps. */
export interface DeskTurn {
  readonly turnId: string;
  readonly sessionId: string;
  readonly model: string;
  readonly relation: "new" | "continuation" | "side-call" | "divergence" | "joined";
  /**
   * The answer begins with its turn. Any other begins with the results of calls, in the middle of the turn: what upstream
   * reports as the turn's usage is not this answer's.
   */
  readonly startsTurn: boolean;
  follow(signal: AbortSignal): AsyncIterable<readonly AgentEvent[]>;
  readonly outcome: Promise<TurnOutcome>;
  stop(reason: string): void;
  /** Call it once the answer has ended, however it did: `answered` when the client was given all of it. */
  leave(how: "answered" | "gone"): void;
}

/** Where stateless doors hand in their requests. See the gateway's `TurnDesk`, whose contract it keeps. */
export interface Conversations {
  open(request: DeskRequest, caller: DeskCaller): Promise<DeskTurn>;
  /** Ends and removes side calls. To be called before the engine is closed. */
  close(): Promise<void>;
}
