/** Lines of the official CLI, for agents that are shell scripts. The clock goes on by itself; nobody reads it. */

const session_id = "3f6f3a52-7a31-4d0e-9a4d-51b1c6f00001";
const model_call_id = "5a0d0000-0000-4000-8000-000000000001-0-xy2z";

let clock = 1_795_000_000_000;
const timed = (): { readonly session_id: string; readonly timestamp_ms: number } => {
  clock += 11;
  return { session_id, timestamp_ms: clock };
};
const message = (text: string): object => ({ role: "assistant", content: [{ type: "text", text }] });

export const init = {
  type: "system",
  subtype: "init",
  apiKeySource: "login",
  cwd: "/work/house",
  session_id,
  model: "Auto",
  permissionMode: "default",
};

export const delta = (text: string): object => ({ type: "assistant", message: message(text), ...timed() });
/** What repeats a segment before a tool call. */
export const flush = (text: string): object => ({ ...delta(text), model_call_id });
/** What repeats the last segment. */
export const final = (text: string): object => ({ type: "assistant", message: message(text), session_id });

const call = (call_id: string, subtype: string, body: object): object => ({
  type: "tool_call",
  subtype,
  call_id,
  tool_call: { readToolCall: { args: { path: "/work/house/a.txt" }, ...body }, toolCallId: call_id },
  ...timed(),
});

/** A file begins to be read, and has been read. */
export const readStarts = (callId: string): object => call(callId, "started", {});
export const readEnds = (callId: string): object =>
  call(callId, "completed", { result: { success: { content: "one\n", isEmpty: false, totalLines: 2 } } });

export const result = (text: string, more: object = {}): object => ({
  type: "result",
  subtype: "success",
  duration_ms: 800,
  duration_api_ms: 800,
  is_error: false,
  result: text,
  session_id,
  request_id: "5a0d0000-0000-4000-8000-000000000001",
  ...more,
});
