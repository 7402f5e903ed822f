/** What an agent at work prints, in the shapes of the official CLI and in words of our own. The same bytes every time. */

const sessionId = "5b0e0c1a-1111-4222-8333-94b1f0a10001";
const words = [
  ..."the caret moves one line down and reads a file before it edits what was asked for in tests".split(" "),
  ...'naïve façade größer 日本語 🙂 `code` "quoted" back\\slash 3.14 {brace} <tag> so, then. Done!'.split(" "),
];

/** One round of an agent's work: it thinks, speaks, reads a file, edits it, and runs a command. */
export function* sampleRounds({ partial }: { readonly partial: boolean }): Generator<string> {
  const pick = createPicker();
  let count = 0;
  yield toLines([{ type: "system", subtype: "init", cwd: "/demo", session_id: sessionId, model: "Auto" }]);
  for (;;) {
    count += 1;
    yield toLines([...thinking(pick), ...speech(pick, partial, count), ...toolCalls(pick, count)]);
  }
}

/** The line that ends the turn. */
export const sampleEnd = toLines([
  {
    type: "result",
    subtype: "success",
    is_error: false,
    result: "",
    session_id: sessionId,
    usage: { inputTokens: 5, outputTokens: 7, cacheReadTokens: 0, cacheWriteTokens: 0 },
  },
]);

/** A whole turn of at least so many bytes. */
export function sampleStream(options: { readonly partial: boolean; readonly minBytes: number }): Buffer {
  const parts: Buffer[] = [];
  let bytes = 0;
  for (const round of sampleRounds(options)) {
    const part = Buffer.from(round);
    parts.push(part);
    bytes += part.byteLength;
    if (bytes >= options.minBytes) break;
  }
  return Buffer.concat([...parts, Buffer.from(sampleEnd)]);
}

/** A tool's result on one line of at least so many bytes, piece by piece, so that nobody has to hold it. No piece is shared. */
export function* longLine(minBytes: number): Generator<Buffer> {
  const [head = "", tail = ""] = toLines([
    completed("long", "readToolCall", { path: "big.txt" }, { content: "█" }),
  ]).split("█");
  const piece = Buffer.from("all work and no play makes one long line ".repeat(1600).slice(0, 64 * 1024));
  yield Buffer.from(head);
  for (let bytes = 0; bytes < minBytes; bytes += piece.byteLength) yield Buffer.from(piece);
  yield Buffer.from(tail);
}

type Picker = (limit: number) => number;

/** Numbers without a pattern that matters, and without a surprise from one run to the next. */
function createPicker(): Picker {
  let seed = 42;
  return (limit) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return (seed >> 8) % limit;
  };
}

const now = 1_790_000_000_000;

function thinking(pick: Picker): readonly object[] {
  const stamp = { session_id: sessionId, timestamp_ms: now };
  const deltas = Array.from({ length: 10 + pick(20) }, () => ({
    type: "thinking",
    subtype: "delta",
    text: phrase(pick, 4),
    ...stamp,
  }));
  return [...deltas, { type: "thinking", subtype: "completed", ...stamp }];
}

/** With partial output every few words come as they are made and the whole once more; without, only the whole. */
function speech(pick: Picker, partial: boolean, count: number): readonly object[] {
  const texts = Array.from({ length: 30 + pick(60) }, () => phrase(pick, 2));
  const deltas = partial ? texts.map((text) => assistant(text, { timestamp_ms: now })) : [];
  return [...deltas, assistant(texts.join(""), { model_call_id: `model-call-${count}`, timestamp_ms: now })];
}

function assistant(text: string, more: object): object {
  const message = { role: "assistant", content: [{ type: "text", text }] };
  return { type: "assistant", message, session_id: sessionId, ...more };
}

function toolCalls(pick: Picker, count: number): readonly object[] {
  const file = sourceText(pick, 40 + pick(120));
  const path = `/demo/src/file-${pick(50)}.ts`;
  const edit = { path, beforeFullFileContent: file, afterFullFileContent: `${file}// changed\n`, message: "Updated." };
  const shell = { command: "npm test", exitCode: 0, stdout: sourceText(pick, 30), stderr: "", executionTime: 812 };
  return [
    ...call(`read-${count}`, "readToolCall", { path }, { content: file, isEmpty: false, path, totalLines: 80 }),
    ...call(`edit-${count}`, "editToolCall", { path, streamContent: file }, edit),
    ...call(`shell-${count}`, "shellToolCall", { command: "npm test" }, shell),
  ];
}

function call(callId: string, name: string, args: object, success: object): readonly object[] {
  const started = { type: "tool_call", subtype: "started", call_id: callId, tool_call: { [name]: { args } } };
  return [{ ...started, session_id: sessionId, timestamp_ms: now }, completed(callId, name, args, success)];
}

function completed(callId: string, name: string, args: object, success: object): object {
  const toolCall = { [name]: { args, result: { success } } };
  return {
    type: "tool_call",
    subtype: "completed",
    call_id: callId,
    tool_call: toolCall,
    session_id: sessionId,
    timestamp_ms: now,
  };
}

function phrase(pick: Picker, length: number): string {
  return Array.from({ length }, () => ` ${words[pick(words.length)]}`).join("") + (pick(12) === 0 ? "\n\n" : "");
}

function sourceText(pick: Picker, lineCount: number): string {
  return Array.from({ length: lineCount }, () => `${" ".repeat(2 * pick(4))}${phrase(pick, 8).trim()}\n`).join("");
}

function toLines(objects: readonly object[]): string {
  return objects.map((object) => `${JSON.stringify(object)}\n`).join("");
}
