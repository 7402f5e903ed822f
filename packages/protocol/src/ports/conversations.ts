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
 * Something that no agent can be given: a PDF, a sound, an image that is broken or only a URL. A new one is refused, with
 * the message that is here; in the past of a transcript it is only mentioned, since clients send it again with every request.
 */
export interface UnpassablePart {
  readonly kind: "unpassable";
  /** What it is, in words: `a PDF document "report.pdf"`. */
  readonly label: string;
  /** Of the part as it was sent, so that the same part is recognised. */
  readonly digest: string;
  readonly refusal: { readonly message: string; readonly fix: string };
}

/** A call that the assistant made in an earlier answer, as the client sends it back. */
export interface TranscriptCall {
  readonly callId: string;
  readonly name: string;
  /** The arguments as parsed JSON, or as they came when they are none. */
  readonly input: unknown;
}

/**
 * One message of the transcript that a stateless client sends with every request. `knownAs` is a digest of it as the client
 * sent it: a message that the gateway has kept for the client lacks its secrets since.
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

/** A tool that the client offers to run itself. Its schema is an object's, as `readToolSchema` gives it. */
export interface ClientTool {
  readonly name: string;
  /** Codex groups tools; a call must name the group it belongs to. Two groups may each have a tool of the same name. */
  readonly namespace?: string | undefined;
  readonly description?: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** How the door writes a call of it; absent: as a call with JSON arguments. The agent sees no difference. */
  readonly form?: ToolForm;
}

/**
 * Tools of OpenAI's that a client runs and that have a call of their own instead of JSON arguments. `custom`: the input is
 * one string.
 */
export type ToolForm = "custom" | "local_shell" | "shell" | "apply_patch";

/** What the text of an answer has to be: JSON that matches a schema. */
export interface AnswerFormat {
  /** Undefined: any JSON object does. */
  readonly schema?: unknown;
  /** The field of the request that demands it, to name it in a refusal. */
  readonly field: string;
}

/** A request of a stateless door, in the words that the three formats have in common. */
export interface ConversationRequest {
  readonly door: StatelessDoor;
  readonly requestedModel: RequestedModel;
  /** All system and developer text, in order, joined with blank lines; empty when there is none. */
  readonly system: string;
  /** All that was said so far, the question last. */
  readonly messages: readonly TranscriptMessage[];
  readonly tools: readonly ClientTool[];
  /** Types of requested tools that only OpenAI's or Anthropic's own servers run. */
  readonly unavailableTools: readonly string[];
  /** `none` forbids tools for this answer; `required` demands a call of any of them, a name a call of that one. */
  readonly toolChoice: "auto" | "none" | "required" | { readonly name: string };
  /** The only tools that this answer may call; undefined: all. */
  readonly callableTools: readonly string[] | undefined;
  /** False: the client takes one call at a time. */
  readonly parallelCalls: boolean;
  /** The answer is verified against it before any of its text is given; undefined: any words do. */
  readonly format?: AnswerFormat | undefined;
  /** The door ends the answer after so many tokens of text, and before the first of the stop sequences. */
  readonly maxOutputTokens?: number | undefined;
  readonly stopSequences?: readonly string[];
  /** What else the answer depends on, such as the temperature. Requests that differ here never share an answer. */
  readonly sampling?: string | undefined;
  /** The client's own name for the conversation, if it gives one. */
  readonly sessionKey: string | undefined;
  /** What an earlier answer's share said of its conversation, when the client names that answer instead of sending it. */
  readonly conversation?: string | undefined;
  /** The name of a coding client that offers tools in all its conversations; undefined for any other. */
  readonly codingClient?: string | undefined;
  /** The client says itself that this is no part of a conversation. */
  readonly isSideCall?: boolean | undefined;
  /** The same key starts one turn, however often it is sent. */
  readonly idempotencyKey?: string | undefined;
  /** The client's library says that it sends the request again by itself, since it got no answer. */
  readonly isSentAgain?: boolean | undefined;
  /** What the client sent, where the gateway put kept messages before it: an idempotency key stands for this. */
  readonly sent?: unknown;
  /** The client is answered in one piece, so that it sees nothing before the end. */
  readonly isWhole?: boolean | undefined;
  readonly workspace: string | undefined;
  /** Who is to run the tools, as the client writes it. */
  readonly owner: string | undefined;
}

/**
 * What the stateless doors ask of the runtime. It recognises the transcript: a continuation sends only what is new to the
 * session's agent, a title or summary call is kept apart, an edited history starts a new upstream session, and a request
 * that was sent before joins the turn it started then.
 */
export interface Conversations {
  /** Rejects with a `CaretError` for what the caller got wrong, and with `overloaded` when too many turns run. */
  open(request: ConversationRequest, caller: Caller): Promise<TurnShare>;
}

/** One client's share in a turn: the answer to one request. */
export interface TurnShare {
  readonly turnId: string;
  readonly sessionId: string;
  /** The model's id that runs, for the answer's `model` field. */
  readonly model: string;
  readonly relation: "new" | "continuation" | "side-call" | "divergence" | "joined";
  /** Identifies the conversation without its words, for a later request that names this answer. */
  readonly conversation?: string;
  /**
   * The answer starts with its turn. Any other starts with the results of calls, in the middle of the turn: what upstream
   * reports as the turn's usage is not this answer's.
   */
  readonly startsTurn: boolean;
  /**
   * What answers this request, in batches: from the turn's start, or from the results that the request brought, until its
   * `turn-end` or until it waits for the results of the client's calls, which are the last of it then. A batch is given
   * by the very call that took it from the agent, as long as `take` returns nothing; a promise of it is waited for
   * (backpressure). Aborting the signal only stops following. If it ends without either, `outcome` says why. Rejects with
   * what `take` throws.
   */
  follow(take: TakeBatch<readonly AgentEvent[]>, signal: AbortSignal): Promise<void>;
  readonly outcome: Promise<TurnOutcome>;
  /** Whether the turn has acted by now: a tool was run or handed out, or words were said. Then it must not begin again. */
  hasActed(): boolean;
  /**
   * The client has all it asked for, though the turn would go on. Ends a turn that can only speak; one whose agent works with
   * tools of its own or of the gateway's goes on to its end, also without clients.
   */
  cut(reason: string): void;
  /** End the turn, whatever its agent is doing. */
  stop(reason: string): void;
  /**
   * To be called once the answer has ended, however it did. `answered`: the client was given all of it, so that a turn
   * which waits for the results of its calls goes on waiting. `gone`: it was not, and the turn is cancelled unless the
   * client comes back or another one follows it.
   */
  leave(how: "answered" | "gone"): void;
}
