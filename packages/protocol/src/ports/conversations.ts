import type { AgentEvent, TurnOutcome } from "../events/agent-event.ts";
import type { Caller } from "./caller.ts";
import type { RequestedModel } from "./models.ts";
import type { TakeBatch } from "./take.ts";

/** The three wire formats that stateless clients speak. */
export type StatelessDoor = "openai" | "responses" | "anthropic";

export type TranscriptPart =
  | { readonly kind: "text"; readonly text: string }
  /** `data` is base64. */
  | { readonly kind: "image"; readonly mediaType: string; readonly data: string }
  | UnpassablePart;

/**
 * A part that no agent accepts: a PDF, audio, an image that is broken or given by URL. In a new message it is refused with this message; in
 * the past of a transcript it is only mentioned, because clients resend it with every request.
 */
export interface UnpassablePart {
  readonly kind: "unpassable";
  /** Description in words: `a PDF document "report.pdf"`. */
  readonly label: string;
  /** Digest of the part as sent, to recognise it when it is resent. */
  readonly digest: string;
  readonly refusal: { readonly message: string; readonly fix: string };
}

/** A call that the assistant made in an earlier answer, as the client sends it back. */
export interface TranscriptCall {
  readonly callId: string;
  readonly name: string;
  /** The arguments as parsed JSON, or verbatim if they are not JSON. */
  readonly input: unknown;
}

/**
 * One message of the transcript that a stateless client sends with every request. `knownAs` is a digest of it as the client sent it, needed
 * because messages kept by the gateway are redacted.
 */
export type TranscriptMessage =
  | { readonly role: "user"; readonly parts: readonly TranscriptPart[]; readonly knownAs?: string }
  | { readonly role: "assistant"; readonly text: string; readonly calls: readonly TranscriptCall[] }
  | {
      readonly role: "tool";
      readonly callId: string;
      readonly parts: readonly TranscriptPart[];
      readonly isError: boolean;
      readonly knownAs?: string;
    };

/** A tool that the client runs itself. Its schema describes an object, as returned by `readToolSchema`. */
export interface ClientTool {
  readonly name: string;
  /** Codex groups tools: a call must name its group, and two groups can have tools of the same name. */
  readonly namespace?: string | undefined;
  readonly description?: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** How the door writes calls of it. Default: as a call with JSON arguments. Makes no difference to the agent. */
  readonly form?: ToolForm;
}

/** OpenAI tools that a client runs and whose calls have their own shape instead of JSON arguments. `custom`: the input is one string. */
export type ToolForm = "custom" | "local_shell" | "shell" | "apply_patch";

/** Constraint on the answer's text: JSON that matches a schema. */
export interface AnswerFormat {
  /** Undefined: any JSON object. */
  readonly schema?: unknown;
  /** The request field that demands it, named in refusals. */
  readonly field: string;
}

/** A request of a stateless door, in terms common to the three formats. */
export interface ConversationRequest {
  readonly door: StatelessDoor;
  readonly requestedModel: RequestedModel;
  /** All system and developer text in order, joined with blank lines; empty if there is none. */
  readonly system: string;
  /** The whole exchange so far, ending with the question. */
  readonly messages: readonly TranscriptMessage[];
  readonly tools: readonly ClientTool[];
  /** Types of requested tools that only OpenAI's or Anthropic's own servers run. */
  readonly unavailableTools: readonly string[];
  /** `none` forbids tools for this answer; `required` demands some tool call, a name demands a call of that tool. */
  readonly toolChoice: "auto" | "none" | "required" | { readonly name: string };
  /** The only tools this answer can call. Undefined: all. */
  readonly callableTools: readonly string[] | undefined;
  /** False: the client handles one call at a time. */
  readonly parallelCalls: boolean;
  /** The answer is validated before any of its text is sent. Undefined: free text. */
  readonly format?: AnswerFormat | undefined;
  /** The door truncates the answer at this many tokens of text, and before the first stop sequence. */
  readonly maxOutputTokens?: number | undefined;
  readonly stopSequences?: readonly string[];
  /** Other parameters the answer depends on, such as the temperature. Requests that differ here never share an answer. */
  readonly sampling?: string | undefined;
  /** The client's own id for the conversation, if any. */
  readonly sessionKey: string | undefined;
  /** `conversation` of an earlier share, when the client refers to that answer instead of resending it. */
  readonly conversation?: string | undefined;
  /** Name of a coding client that offers tools in all its conversations; undefined for others. */
  readonly codingClient?: string | undefined;
  /** The client marks this request as not part of a conversation. */
  readonly isSideCall?: boolean | undefined;
  /** A key starts one turn, however often the request is sent. */
  readonly idempotencyKey?: string | undefined;
  /** The client library marks this request as an automatic retry after a missing answer. */
  readonly isSentAgain?: boolean | undefined;
  /** The body as the client sent it, if the gateway prepended kept messages to it: idempotency keys cover this body. */
  readonly sent?: unknown;
  /** The client wants the answer in one piece and sees nothing before its end. */
  readonly isWhole?: boolean | undefined;
  readonly workspace: string | undefined;
  /** Who runs the tools, as the client wrote it. */
  readonly owner: string | undefined;
}

/**
 * The runtime's port for the stateless doors. It recognises the transcript: a continuation sends only what is new to the session's agent, a
 * title or summary call is kept apart, an edited history starts a new upstream session, and a repeated request joins the turn it already
 * started.
 */
export interface Conversations {
  /** Rejects with a `CaretError` for mistakes of the caller, and with `overloaded` if too many turns run. */
  open(request: ConversationRequest, caller: Caller): Promise<TurnShare>;
}

/** One client's share in a turn: the answer to one request. */
export interface TurnShare {
  readonly turnId: string;
  readonly sessionId: string;
  /** The id of the model that runs, for the answer's `model` field. */
  readonly model: string;
  readonly relation: "new" | "continuation" | "side-call" | "divergence" | "joined";
  /** Opaque id of the conversation, for a later request that refers to this answer. */
  readonly conversation?: string;
  /**
   * True if the answer begins with its turn. Otherwise it begins mid-turn with the results of calls, and the usage upstream reports for the
   * turn covers more than this answer.
   */
  readonly startsTurn: boolean;
  /**
   * Delivers the events that answer this request, in batches: from the turn's start, or from the results the request brought, up to
   * `turn-end` or up to the client's calls that now await results, which then come last. A batch is delivered synchronously by the call
   * that took it from the agent as long as `take` returns nothing; a returned promise is awaited (backpressure). Aborting the signal only
   * stops following. If it ends in neither way, `outcome` says why. Rejects with whatever `take` throws.
   */
  follow(take: TakeBatch<readonly AgentEvent[]>, signal: AbortSignal): Promise<void>;
  readonly outcome: Promise<TurnOutcome>;
  /** Whether the turn has acted: run or handed out a tool, or said something. Such a turn must not be restarted. */
  hasActed(): boolean;
  /**
   * The client has all it asked for, although the turn would go on. Ends a turn that can only speak; a turn whose agent works with its own
   * tools or the gateway's runs to its end even without clients.
   */
  cut(reason: string): void;
  /** Ends the turn, whatever its agent is doing. */
  stop(reason: string): void;
  /**
   * Call once the answer has ended, in any way. `answered`: the client got all of it, so a turn waiting for the results of its calls keeps
   * waiting. `gone`: it did not, and the turn is cancelled unless the client returns or another one follows it.
   */
  leave(how: "answered" | "gone"): void;
}
