/** Lines of the official CLI, in the vocabulary of the tests. Recorded shapes, our own words. */

let clock = 1_790_000_000_000;
const now = (): number => {
  clock += 7;
  return clock;
};
const session_id = "0b5e7c1a-9f5e-4a53-8a51-6d1f7b1f0001";

const assistant = (text: string, more: object): object => ({
  type: "assistant",
  message: { role: "assistant", content: [{ type: "text", text }] },
  session_id,
  ...more,
});

export const init = {
  type: "system",
  subtype: "init",
  apiKeySource: "login",
  cwd: "/work/demo",
  session_id,
  model: "Auto",
  permissionMode: "default",
};

/** Timed, no model call: a delta with partial output, without it the flush before a query or retry. */
export const delta = (text: string): object => assistant(text, { timestamp_ms: now() });
/** Timed, with a model call: the flush of a segment before a tool call. */
export const flush = (text: string): object =>
  assistant(text, { model_call_id: "6f0c0000-0000-4000-8000-000000000001-0-ab1c", timestamp_ms: now() });
/** Neither: the final flush. */
export const final = (text: string): object => assistant(text, {});

export const thinks = (text: string): object => ({
  type: "thinking",
  subtype: "delta",
  text,
  session_id,
  timestamp_ms: now(),
});
export const thought = (): object => ({ type: "thinking", subtype: "completed", session_id, timestamp_ms: now() });

export const started = (call_id: string, tool_call: object): object => ({
  type: "tool_call",
  subtype: "started",
  call_id,
  tool_call: { ...tool_call, hookAdditionalContexts: [], toolCallId: call_id, startedAtMs: "1790000000100" },
  model_call_id: "6f0c0000-0000-4000-8000-000000000001-0-ab1c",
  session_id,
  timestamp_ms: now(),
});
export const completed = (call_id: string, tool_call: object): object => ({
  type: "tool_call",
  subtype: "completed",
  call_id,
  tool_call: {
    ...tool_call,
    hookAdditionalContexts: [],
    toolCallId: call_id,
    startedAtMs: "1790000000100",
    completedAtMs: "1790000000150",
  },
  session_id,
  timestamp_ms: now(),
});

export const read = (path: string, content = "hello\n"): readonly [object, object] => [
  { readToolCall: { args: { path } } },
  {
    readToolCall: {
      args: { path },
      result: { success: { content, isEmpty: false, path, totalLines: 2, fileSize: 6 } },
    },
  },
];

/** A read that starts and completes: what most often separates two segments. */
export function readsFile(callId = "call-1\nfc_1"): readonly object[] {
  const [start, end] = read("/work/demo/a.txt");
  return [started(callId, start), completed(callId, end)];
}

export const asks = (queryType: string, query: object): object => ({
  type: "interaction_query",
  subtype: "request",
  query_type: queryType,
  query: { id: 0, [queryType]: query },
  session_id,
  timestamp_ms: now(),
});
export const answers = (queryType: string, responseKey: string, response: object): object => ({
  type: "interaction_query",
  subtype: "response",
  query_type: queryType,
  response: { id: 0, [responseKey]: response },
  session_id,
  timestamp_ms: now(),
});

export const retries = (): object => ({
  type: "retry",
  subtype: "starting",
  session_id,
  timestamp_ms: now(),
  attempt: 1,
  is_resume: true,
});

export const result = (text: string, more: object = {}): object => ({
  type: "result",
  subtype: "success",
  duration_ms: 900,
  duration_api_ms: 900,
  is_error: false,
  result: text,
  session_id,
  request_id: "6f0c0000-0000-4000-8000-000000000001",
  ...more,
});
