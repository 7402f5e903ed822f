/** The three wire formats that stateless clients speak. */
export type StatelessDoor = "openai" | "responses" | "anthropic";

export type DoorPart =
  | { readonly kind: "text"; readonly text: string }
  /** `data` is base64. */
  | { readonly kind: "image"; readonly mediaType: string; readonly data: string }
  | UnpassablePart;

/**
 * Something that no agent can be given: a PDF, a sound, an image that is broken or only an address. What is new is refused,
 * with the words that are here; in the past of a transcript it is only mentioned, since clients send it again for ever.
 */
export interface UnpassablePart {
  readonly kind: "unpassable";
  /** What it is, in words: `a PDF document "report.pdf"`. */
  readonly label: string;
  /** Of what came, so that the same thing is known again. */
  readonly digest: string;
  readonly refusal: { readonly message: string; readonly fix: string };
}

/** A call the assistant made in an earlier answer, as the client tells it. */
export interface DoorCall {
  readonly callId: string;
  readonly name: string;
  /** The arguments as parsed JSON, or as they came when they are none. */
  readonly input: unknown;
}

/** One message of the transcript a stateless client sends every time. */
export type DoorMessage =
  | { readonly role: "user"; readonly parts: readonly DoorPart[] }
  | { readonly role: "assistant"; readonly text: string; readonly calls: readonly DoorCall[] }
  | { readonly role: "tool"; readonly callId: string; readonly parts: readonly DoorPart[]; readonly isError: boolean };

/** A tool the client offers to run itself. Its schema goes through untouched. */
export interface OfferedTool {
  readonly name: string;
  /** Codex groups tools; a call must name the group it belongs to. */
  readonly namespace?: string;
  readonly description?: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** How the door writes a call of it; absent: as a call with JSON arguments. The agent sees no difference. */
  readonly form?: ToolForm;
}

/**
 * Tools of OpenAI's that a client runs and that have a call of their own instead of JSON arguments. `custom`: the input is
 * one text.
 */
export type ToolForm = "custom" | "local_shell" | "shell" | "apply_patch";

/** What the client says about the model, before anyone has looked it up. */
export interface RequestedModel {
  readonly model: string | undefined;
  /** OpenCode's variants name the exact model here. */
  readonly cursorModel: string | undefined;
  readonly effort: string | undefined;
  readonly thinking: boolean | undefined;
}

/** A request of any stateless door, in the words they have in common. */
export interface DoorRequest {
  readonly door: StatelessDoor;
  readonly wish: RequestedModel;
  /** All system and developer text, in order, joined with blank lines; empty when there is none. */
  readonly system: string;
  readonly messages: readonly DoorMessage[];
  readonly tools: readonly OfferedTool[];
  /** Tools of the request that only OpenAI's or Anthropic's own servers run, by their types: nobody here can. */
  readonly unavailableTools: readonly string[];
  /** `none` forbids tools for this answer; `required` demands a call of any of them, a name a call of that one. */
  readonly toolChoice: "auto" | "none" | "required" | { readonly name: string };
  /** The only tools that this answer may call; undefined: all. */
  readonly callableTools: readonly string[] | undefined;
  /** False: the client takes one call at a time. */
  readonly parallelCalls: boolean;
  readonly maxOutputTokens: number | undefined;
  /** The answer ends before the first of these. */
  readonly stopSequences: readonly string[];
  /** Fields of the body that were set and have no meaning here. */
  readonly ignored: readonly string[];
  /** What else the answer depends on, such as the temperature: see `samplingOf`. */
  readonly sampling?: string | undefined;
  /** The client's own name for the conversation, from a header or the body, if it has one. */
  readonly sessionKey: string | undefined;
  /** The name of a coding client that offers tools in every conversation; undefined for any other. */
  readonly codingClient?: string | undefined;
  /** The client says that this is no part of a conversation: from the header `x-caret-side-call`, or Codex' own. */
  readonly isSideCall?: boolean | undefined;
  /** From the header `idempotency-key`: the same key begins one turn, however often it is sent. */
  readonly idempotencyKey?: string | undefined;
  /** The client is answered in one piece, so that it sees nothing before the end. */
  readonly isWhole?: boolean | undefined;
  /** From the header `x-caret-workspace`. */
  readonly workspace: string | undefined;
  /** From the header `x-caret-tools`. */
  readonly owner: string | undefined;
}
