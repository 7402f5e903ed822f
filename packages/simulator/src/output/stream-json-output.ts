import type { ByteWriter } from "../process/byte-writer.ts";
import type { QuirkName } from "../scenario/scenario.ts";
import { quirkyEvent } from "./quirky-events.ts";
import { toResultEvent } from "./result-event.ts";
import type { TurnOutput, TurnStart, WireCall } from "./turn-output.ts";

type Event = Readonly<Record<string, unknown>>;

export interface StreamJsonOptions {
  readonly writer: ByteWriter;
  /** Whether `--stream-partial-output` was given: deltas are shown and then repeated by every flush. */
  readonly partial: boolean;
  readonly now: () => number;
  /** Gives the event another shape on its way out (the payload dialect). */
  readonly reshape?: (event: Event) => Event;
  readonly quirks?: readonly QuirkName[];
}

/** `--output-format stream-json`: one event per line, in the shapes and the order of the real CLI. */
export function createStreamJsonOutput(options: StreamJsonOptions): TurnOutput {
  const { writer, partial, now, reshape, quirks = [] } = options;
  let sessionId = "";
  let startedAt = 0;
  let segment = "";
  let wholeText = "";
  let queries = 0;

  function emit(plain: Event): void {
    const event = quirkyEvent(plain, quirks);
    if (event === undefined) return;
    writer.write(`${JSON.stringify(reshape === undefined ? event : reshape(event))}\n`);
  }
  function assistant(text: string, rest: Event): void {
    const message = { role: "assistant", content: [{ type: "text", text }] };
    emit({ type: "assistant", message, session_id: sessionId, ...rest });
  }
  function flush(rest: Event): void {
    if (segment === "") return;
    assistant(segment, rest);
    segment = "";
  }

  return {
    start(start) {
      sessionId = start.sessionId;
      startedAt = now();
      for (const event of openingEvents(start)) emit(event);
    },
    thinkingDelta(text) {
      emit({ type: "thinking", subtype: "delta", text, session_id: sessionId, timestamp_ms: now() });
    },
    thinkingEnd() {
      emit({ type: "thinking", subtype: "completed", session_id: sessionId, timestamp_ms: now() });
    },
    textDelta(text) {
      segment += text;
      wholeText += text;
      if (partial) assistant(text, { timestamp_ms: now() });
    },
    query({ queryType, request, responseKey, response }) {
      // The trap of the format: this flush looks exactly like a delta.
      flush({ timestamp_ms: now() });
      const id = queries++;
      const stamp = { session_id: sessionId, timestamp_ms: now() };
      const type = "interaction_query";
      emit({ type, subtype: "request", query_type: queryType, query: { id, [queryType]: request }, ...stamp });
      emit({ type, subtype: "response", query_type: queryType, response: { id, [responseKey]: response }, ...stamp });
    },
    toolStarted(call) {
      const at = now();
      flush({ model_call_id: call.modelCallId, timestamp_ms: at });
      const { prepared } = call;
      const body = { args: prepared.args, ...described(call) };
      emit(toolEvent("started", call, body, sessionId, at));
    },
    toolCompleted(call, outcome) {
      const { prepared } = call;
      const args = keepsArgs(prepared.key, outcome.ok) ? { args: prepared.args } : {};
      const body = { ...args, result: outcome.result, ...described(call) };
      emit(toolEvent("completed", call, body, sessionId, now()));
    },
    event(event) {
      if (event["type"] === "retry") flush({ timestamp_ms: now() });
      emit({ ...event, session_id: sessionId, timestamp_ms: now() });
    },
    result(result) {
      flush({});
      emit(toResultEvent(result, { sessionId, elapsedMs: now() - startedAt, wholeText }));
    },
  };
}

function openingEvents({ apiKeySource, cwd, sessionId, modelName, prompt }: TurnStart): readonly Event[] {
  return [
    {
      type: "system",
      subtype: "init",
      apiKeySource,
      cwd,
      session_id: sessionId,
      model: modelName,
      permissionMode: "default",
    },
    { type: "user", message: { role: "user", content: [{ type: "text", text: prompt }] }, session_id: sessionId },
  ];
}

/** Errors and rejections lose their arguments on the way back; a skipped question keeps them. */
function keepsArgs(key: string, ok: boolean): boolean {
  return ok || key === "askQuestionToolCall";
}

function described({ prepared }: WireCall): { description?: string } {
  return prepared.description === undefined ? {} : { description: prepared.description };
}

function toolEvent(
  subtype: "started" | "completed",
  call: WireCall,
  body: Event,
  sessionId: string,
  at: number,
): Event {
  return {
    type: "tool_call",
    subtype,
    call_id: call.callId,
    tool_call: {
      [call.prepared.key]: body,
      hookAdditionalContexts: [],
      toolCallId: call.callId,
      startedAtMs: String(call.startedAt),
      ...(subtype === "completed" ? { completedAtMs: String(at) } : {}),
    },
    model_call_id: call.modelCallId,
    session_id: sessionId,
    timestamp_ms: at,
  };
}
