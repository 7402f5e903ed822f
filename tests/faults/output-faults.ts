import { expect } from "vitest";
import { delta, final, flush, init, readEnds, readStarts, result } from "./agent-lines.ts";
import { type Fault, prints, printsBytes } from "./fault.ts";

const hello = [init, delta("Hello."), result("Hello.")];
const deep = `{"type":"deep","value":${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}}`;
const emoji = Buffer.from(`${JSON.stringify(init)}\n${JSON.stringify(delta("Hi 😀 é"))}\n`);
const cutAt = emoji.indexOf(Buffer.from("😀")) + 2;
const contract = (bench: { agentPath: string }) => ({
  models: { custom: { command: bench.agentPath, args: [], promptAsArg: false } },
});

/** Table B of the catalogue, what concerns the bytes and their meaning. */
export const outputFaults: readonly Fault[] = [
  {
    id: "O-08",
    sentence: "a result that says it is an error is one, whatever the exit code",
    agent: prints(init, delta("Hm."), result("It broke", { is_error: true })),
    ends: "upstream-error",
    text: "Hm.",
  },
  {
    id: "O-09",
    sentence: "an upstream error sent as the last words, with a tool still open, fails the turn",
    agent: prints(init, readStarts("call-1"), delta("Error: T: [resource_exhausted] x"), result("")),
    ends: "upstream-error",
  },
  {
    id: "O-09",
    sentence: "an answer that merely speaks of errors is an answer",
    agent: prints(init, delta("Error: T: [canceled] means that you stopped it."), result("")),
    ends: "completed",
  },
  {
    id: "O-10",
    sentence: "a tool that never ended is interrupted when the result comes",
    agent: prints(init, readStarts("call-1"), delta("Done."), result("Done.")),
    ends: "completed",
    check: ({ summary }) => expect(summary.tools.map(({ status }) => status)).toEqual(["interrupted"]),
  },
  {
    id: "O-11",
    sentence: "half a line at the end is no result",
    agent: printsBytes(`${JSON.stringify(init)}\n${JSON.stringify(delta("Hi"))}\n{"type":"result","subty`),
    ends: "no-result",
    text: "Hi",
  },
  {
    id: "O-12",
    sentence: "a last line without a newline counts when it is whole",
    agent: printsBytes(hello.map((line) => JSON.stringify(line)).join("\n")),
    ends: "completed",
    text: "Hello.",
  },
  {
    id: "O-13",
    sentence: "a character cut between two writes stays whole",
    agent: `${printsBytes(emoji.subarray(0, cutAt))}sleep 0.1\n${printsBytes(emoji.subarray(cutAt))}${prints(result("Hi 😀 é"))}`,
    ends: "completed",
    text: "Hi 😀 é",
  },
  {
    id: "O-14",
    sentence: "bytes that are no UTF-8 become replacement characters, and the turn goes on",
    agent: (bench) => bench.simulator({ turns: [[{ invalidUtf8: true }, { text: "Still here." }]] }),
    ends: "completed",
    check: ({ text }) => expect(text).toContain("Still here."),
  },
  {
    id: "O-15",
    sentence: "line separators of Unicode inside a text do not cut the line",
    agent: prints(init, delta("a\u2028b\u2029c\u0085d"), result("a\u2028b\u2029c\u0085d")),
    ends: "completed",
    text: "a\u2028b\u2029c\u0085d",
  },
  {
    id: "O-16",
    sentence: "carriage returns, a byte order mark, NULs and blank lines are tolerated",
    agent: printsBytes(`\uFEFF\r\n\n\0\n${hello.map((line) => `${JSON.stringify(line)}\r\n\r\n`).join("")}`),
    ends: "completed",
    text: "Hello.",
  },
  {
    id: "O-17",
    sentence: "a line beyond the limit fails the turn by name, and does not fill the memory",
    agent: `${prints(init, delta("Hi"))}head -c 100000000 /dev/zero | tr '\\0' 'x'\n${prints("", result("Hi"))}`,
    settings: { limits: { lineBytes: 1_048_576 } },
    ends: "too-large",
    text: "Hi",
    withinMs: 10_000,
  },
  {
    id: "O-18",
    sentence: "a flood of tiny lines arrives whole, and the agent waits for its reader",
    agent: `${prints(init)}yes '${JSON.stringify(delta("ab "))}' | head -n 200000\n${prints(result(""))}`,
    settings: { clocks: { turnMs: 60_000 } },
    ends: "completed",
    withinMs: 30_000,
    check: ({ text, events }) => {
      expect(text.length).toBe(600_000);
      expect(events.length).toBeLessThan(20_000);
    },
  },
  {
    id: "O-19",
    sentence: "a banner on standard output is kept and does no harm",
    agent: prints("Using worktree: /tmp/w", "\u001b[33mWarning: beta\u001b[0m", ...hello),
    ends: "completed",
    text: "Hello.",
  },
  {
    id: "O-20",
    sentence: "two objects on one line are two",
    agent: prints(`${JSON.stringify(init)}${JSON.stringify(delta("Hello."))}`, result("Hello.")),
    ends: "completed",
    text: "Hello.",
  },
  {
    id: "O-20",
    sentence: "an object over many lines is not understood, kept, and no reason to stop",
    agent: prints(
      init,
      JSON.stringify({ type: "odd", value: [1, 2] }, undefined, 2),
      delta("Hello."),
      result("Hello."),
    ),
    ends: "completed",
    text: "Hello.",
  },
  {
    id: "O-21",
    sentence: "nesting a hundred thousand deep is kept as a text",
    agent: prints(init, deep, delta("Hello."), result("Hello.")),
    ends: "completed",
    text: "Hello.",
    check: ({ events }) => expect(events.filter(({ type }) => type === "unknown").length).toBe(1),
  },
  {
    id: "O-22",
    sentence: "a key named __proto__ and a key given twice change nothing of ours",
    agent: prints(
      init,
      '{"type":"odd","__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
      '{"type":"assistant","type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"Hello."}]},"timestamp_ms":1}',
      result("Hello."),
    ),
    ends: "completed",
    text: "Hello.",
    check: () => expect(({} as { polluted?: boolean }).polluted).toBeUndefined(),
  },
  {
    id: "O-23",
    sentence: "numbers beyond what a number holds do not stop the turn, nor does NaN",
    agent: prints(
      init,
      '{"type":"tool_call","subtype":"started","call_id":90071992547409931,"tool_call":{"readToolCall":{"args":{"path":"/a"}}}}',
      '{"type":"odd","value":NaN}',
      '{"type":"odd","value":-0,"big":1e999}',
      delta("Hello."),
      result("Hello."),
    ),
    ends: "completed",
    text: "Hello.",
  },
  {
    id: "O-24",
    sentence: "a kind of event nobody knows is kept under its name",
    agent: prints(init, { type: "brand_new", subtype: "thing", answer: 42 }, delta("Hello."), result("Hello.")),
    ends: "completed",
    check: ({ summary }) => expect(summary.unknown).toEqual({ "brand_new:thing": 1 }),
  },
  {
    id: "O-25",
    sentence: "fields of the wrong type, missing or null cost at most their own event",
    agent: prints(
      { type: "system", subtype: "init", session_id: 7, model: null },
      { type: "assistant", message: null },
      { type: "assistant", message: { content: "text" }, timestamp_ms: "later" },
      { type: "tool_call", subtype: "started" },
      { type: "thinking", subtype: "delta", text: 5 },
      { type: null },
      [1, 2],
      "null",
      delta("Hello."),
      { type: "result", subtype: "success", is_error: "no", result: null, usage: [] },
    ),
    ends: "completed",
    check: ({ text }) => expect(text).toContain("Hello."),
  },
  {
    id: "O-26",
    sentence: "a contract program of an unknown version is not believed",
    agent: prints({ type: "protocol", data: { version: "9.0" } }, { type: "assistant_delta", data: { content: "Hi" } }),
    settings: contract,
    request: { model: "custom" },
    ends: "protocol-drift",
    text: "",
  },
  {
    id: "O-27",
    sentence: "of two results the first counts",
    agent: prints(init, delta("One."), result("One."), result("Two.", { is_error: true })),
    ends: "completed",
    text: "One.",
  },
  {
    id: "O-28",
    sentence: "what comes after the result is no content",
    agent: prints(...hello, delta(" And more."), readStarts("call-1"), readEnds("call-1")),
    ends: "completed",
    text: "Hello.",
  },
  {
    id: "O-29",
    sentence: "a message that repeats its deltas is not shown twice",
    agent: prints(
      init,
      delta("Let me "),
      delta("see."),
      flush("Let me see."),
      readStarts("call-1"),
      readEnds("call-1"),
      delta("Ok."),
      final("Ok."),
      result("Let me see.Ok."),
    ),
    ends: "completed",
    text: "Let me see.Ok.",
  },
  {
    id: "O-30",
    sentence: "a tool's end without its start, twice, and after its turn are put in order",
    agent: prints(
      init,
      readEnds("call-1"),
      readStarts("call-1"),
      readEnds("call-1"),
      delta("Hello."),
      result("Hello."),
      readEnds("call-2"),
    ),
    ends: "completed",
    check: ({ summary }) =>
      expect(summary.tools.map(({ callId, status }) => [callId, status])).toEqual([["call-1", "ok"]]),
  },
  {
    id: "O-31",
    sentence: "a session that changes its id in the middle keeps the first",
    agent: prints(
      init,
      { ...(delta("Hello.") as object), session_id: "another" },
      { ...init, session_id: "another" },
      result("Hello."),
    ),
    ends: "completed",
    text: "Hello.",
    check: async (_, { engine }) => {
      const { sessions } = await engine.store.listSessions({ limit: 1 });
      expect(sessions[0]?.upstream.map(({ sessionId }) => sessionId)).toEqual([init.session_id]);
    },
  },
  {
    id: "O-32",
    sentence: "lone surrogates, escape sequences and bidirectional marks are kept as they are",
    agent: prints(init, delta("\u001b[31mred\u001b[0m \u202Eevil \uD83D."), result("")),
    ends: "completed",
    check: ({ text }) => expect(text.toWellFormed()).toBe("\u001b[31mred\u001b[0m \u202Eevil \uFFFD."),
  },
];
