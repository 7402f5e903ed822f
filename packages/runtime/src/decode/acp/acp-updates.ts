import type { CaretError, ContextFill, JsonObject, Usage } from "@caret/protocol";
import { withContext } from "../context-fill.ts";
import type { Decoded } from "../decoder.ts";
import type { Ending } from "../dialect.ts";
import { writePlan } from "../plan-events.ts";
import { objectField, objectsField, textField } from "../read-fields.ts";
import { readTodos } from "../tools/todo-items.ts";
import {
  closeBlock,
  closeDraft,
  type Draft,
  endTurn,
  initialTurn,
  keepUnknown,
  openDraft,
  type TurnState,
  writeText,
  writeThinking,
} from "../turn-draft.ts";
import { AcpCalls } from "./acp-calls.ts";
import { AcpSubagents, subagentSessionIn } from "./acp-subagents.ts";

const SOURCE = "acp";

export interface AcpUpdatesOptions {
  /** The error a text means if it is all the agent said in the turn; undefined for an answer. */
  readonly errorIn: (text: string) => CaretError | undefined;
}

/**
 * Decodes the updates of an ACP session. The caller adds `turn-start`. Nothing follows `turn-end`.
 *
 * A failing agent says so in its answer and ends normally. A text can only be such an error if it is everything the agent said and did, so
 * it is held back until anything else arrives. If nothing does, the turn has failed, and the text is shown as a notice: no answer was
 * given, so another attempt may give one.
 */
export interface AcpUpdates {
  update(update: JsonObject, raw?: string): readonly Decoded[];
  /** The agent reports its to-dos, by its own request or notification. */
  todos(params: JsonObject, raw?: string): readonly Decoded[];
  /** The agent asks its client to accept a plan. */
  plan(params: JsonObject, raw?: string): readonly Decoded[];
  /** An update of a subagent's session, which one of the turn's own updates has announced. */
  ofSubagent(sessionId: string, update: JsonObject, raw?: string): readonly Decoded[];
  /** The agent, or a subagent given by session, asks about a call; the call is shown now at the latest. */
  asksAbout(toolCall: JsonObject, subagent?: string): readonly Decoded[];
  unknown(label: string, value: unknown): readonly Decoded[];
  /** The agent has answered the prompt: the turn has ended. */
  answered(usage: Usage | undefined): readonly Decoded[];
  finish(ending: Exclude<Ending, { kind: "end-of-stream" }>): readonly Decoded[];
  readonly hasEnded: boolean;
}

/** For screens that show a session's settings, which ours tracks itself. */
const ignored: ReadonlySet<string> = new Set([
  "user_message_chunk",
  "available_commands_update",
  "current_mode_update",
  "config_option_update",
  "session_info_update",
  // A task's end says this too.
  "subagent_state_update",
]);

export function createAcpUpdates(options: AcpUpdatesOptions): AcpUpdates {
  return new SessionUpdates(options);
}

type AcpDraft = Draft<TurnState>;

class SessionUpdates implements AcpUpdates {
  readonly #errorIn: AcpUpdatesOptions["errorIn"];
  readonly #calls = new AcpCalls();
  readonly #subagents = new AcpSubagents();
  #state: TurnState = { ...initialTurn, joinsDeltas: true };
  /** A text that may be an error. */
  #held = "";
  /** The agent has said or done something: anything it says from now on is its answer. */
  #hasAnswered = false;
  #context: ContextFill | undefined;

  constructor({ errorIn }: AcpUpdatesOptions) {
    this.#errorIn = errorIn;
  }

  get hasEnded(): boolean {
    return this.#state.ended;
  }

  update(update: JsonObject, raw?: string): readonly Decoded[] {
    const kind = textField(update, "sessionUpdate") ?? "none";
    if (ignored.has(kind)) return [];
    const text = textField(objectField(update, "content"), "text") ?? "";
    if (kind === "agent_message_chunk") return this.#step((draft) => this.#onText(draft, text), raw);
    return this.#step((draft) => {
      const isThought = kind === "agent_thought_chunk";
      if (kind !== "usage_update" && (!isThought || this.#held !== "")) this.#release(draft);
      this.#onUpdate(draft, kind, text, update);
    }, raw);
  }

  todos(params: JsonObject, raw?: string): readonly Decoded[] {
    return this.#step((draft) => {
      this.#release(draft);
      writeTodos(draft, params, params["merge"] === true);
    }, raw);
  }

  plan(params: JsonObject, raw?: string): readonly Decoded[] {
    return this.#step((draft) => {
      this.#release(draft);
      closeBlock(draft);
      writePlan(draft, { callId: textField(params, "toolCallId"), args: toPlanArgs(params), isLast: true });
    }, raw);
  }

  ofSubagent(sessionId: string, update: JsonObject, raw?: string): readonly Decoded[] {
    return this.#step((draft) => {
      this.#release(draft);
      this.#subagents.write(draft, sessionId, update);
    }, raw);
  }

  asksAbout(toolCall: JsonObject, subagent?: string): readonly Decoded[] {
    return this.#step((draft) => {
      this.#release(draft);
      closeBlock(draft);
      if (subagent === undefined) this.#calls.showHeld(draft, toolCall);
      else this.#subagents.showHeld(draft, subagent, toolCall);
    });
  }

  unknown(label: string, value: unknown): readonly Decoded[] {
    return this.#step((draft) => keepUnknown(draft, SOURCE, label, value));
  }

  answered(usage: Usage | undefined): readonly Decoded[] {
    return this.#step((draft) => {
      const error = this.#held === "" ? undefined : this.#errorIn(this.#held);
      if (error === undefined) this.#release(draft);
      else draft.events.push({ type: "notice", kind: "error", message: this.#held.trim() });
      this.#showCalls(draft);
      endTurn(draft, error === undefined ? { kind: "completed" } : { kind: "failed", error: error.toInfo() }, usage);
    });
  }

  finish(ending: Exclude<Ending, { kind: "end-of-stream" }>): readonly Decoded[] {
    return this.#step((draft) => {
      this.#release(draft);
      this.#showCalls(draft);
      endTurn(draft, ending);
    });
  }

  #step(write: (draft: AcpDraft) => void, raw?: string): readonly Decoded[] {
    if (this.#state.ended) return [];
    const draft = openDraft(this.#state);
    write(draft);
    const [next, written] = closeDraft(draft);
    this.#state = next;
    const events = withContext(written, this.#context);
    return events.map((event, index) => (index === 0 && raw !== undefined ? { event, raw } : { event }));
  }

  #showCalls(draft: AcpDraft): void {
    this.#calls.showAll(draft);
    this.#subagents.showAll(draft);
  }

  #release(draft: AcpDraft): void {
    this.#hasAnswered = true;
    if (this.#held !== "") writeText(draft, this.#held);
    this.#held = "";
  }

  #onText(draft: AcpDraft, text: string): void {
    if (text === "") return;
    if (!this.#hasAnswered && this.#held === "" && this.#errorIn(text) !== undefined) {
      this.#held = text;
      return;
    }
    this.#release(draft);
    writeText(draft, text);
  }

  #writeCall(draft: AcpDraft, update: JsonObject): void {
    const before = draft.events.length;
    this.#calls.write(draft, update);
    for (const event of draft.events.slice(before)) if (event.type === "tool-call") this.#subagents.noteCall(event);
  }

  #onUpdate(draft: AcpDraft, kind: string, text: string, update: JsonObject): void {
    switch (kind) {
      case "agent_thought_chunk":
        return text === "" ? undefined : writeThinking(draft, text);
      case "tool_call":
      case "tool_call_update":
        closeBlock(draft);
        return this.#writeCall(draft, update);
      case "subagent_spawned":
      case "subagent_update":
        return this.#subagents.announce(subagentSessionIn(update) ?? "");
      case "plan":
        return writeTodos(draft, { todos: objectsField(update, "entries") }, false);
      case "usage_update":
        this.#context = contextOf(update) ?? this.#context;
        return writeCost(draft, update);
      default:
        return keepUnknown(draft, SOURCE, `session_update:${kind}`, update);
    }
  }
}

function writeTodos(draft: AcpDraft, params: JsonObject, merge: boolean): void {
  const callId = textField(params, "toolCallId");
  const items = [...readTodos(params)];
  draft.events.push({ type: "todos", ...(callId === undefined ? {} : { callId }), items, merge });
}

/** `used` and `size` describe the context, not the turn's consumption. */
function contextOf({ used, size }: JsonObject): ContextFill | undefined {
  if (!isCount(used)) return undefined;
  return { used, ...(isCount(size) && size > 0 ? { size } : {}) };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function writeCost(draft: AcpDraft, update: JsonObject): void {
  const cost = objectField(update, "cost");
  const amount = cost?.["amount"];
  if (typeof amount !== "number" || amount < 0 || textField(cost, "currency") !== "USD") return;
  draft.events.push({ type: "usage", usage: { cost: amount } });
}

/** A plan is text or an object around it; its name is in `name` or `title`. */
function toPlanArgs(params: JsonObject): JsonObject {
  const { plan } = params;
  const text =
    textField(params, "plan") ?? textField(objectField(params, "plan"), "content", "text", "markdown", "plan");
  const name = textField(params, "name", "title");
  return {
    ...params,
    plan: text ?? (plan === undefined ? "" : JSON.stringify(plan)),
    ...(name === undefined ? {} : { name }),
  };
}
