import { expect, it } from "vitest";
import type { TranscriptMessage } from "../lineage/transcript.ts";
import { renderPrompt, toolNamesOf } from "./render-prompt.ts";

const call: TranscriptMessage = {
  role: "assistant",
  text: "",
  calls: [{ callId: "c1", name: "read", input: { path: "a.txt" } }],
};
const result: TranscriptMessage = {
  role: "tool",
  callId: "c1",
  parts: [{ kind: "text", text: "hello" }],
  isError: false,
};
const question: TranscriptMessage = { role: "user", parts: [{ kind: "text", text: "Read a.txt" }] };

it("tells a past that the session has no part in, then the results that are new", () => {
  const messages = [question, call, result, { ...result, callId: "c2", isError: true }];
  expect(renderPrompt({ instructions: "Be brief.", messages, toolNames: toolNamesOf(messages) })).toBe(`<instructions>
Be brief.
</instructions>

<earlier_conversation>
USER:
Read a.txt

TOOL_CALL (name: read, call_id: c1)
{"path":"a.txt"}
</earlier_conversation>

TOOL_RESULT (name: read, call_id: c1)
hello

TOOL_RESULT (name: unknown, call_id: c2, failed)
hello`);
});

it("adds nothing to a plain question", () => {
  expect(renderPrompt({ instructions: " ", messages: [question], toolNames: new Map() })).toBe("Read a.txt");
});

it("names a result's tool when the client spells the call's id in two ways [clients D1]", () => {
  const messages = [question, { ...call, calls: [{ callId: "call_1", name: "read", input: {} }] }];
  const told = { ...result, callId: "call1" };
  expect(renderPrompt({ instructions: "", messages: [told], toolNames: toolNamesOf(messages) })).toBe(
    "TOOL_RESULT (name: read, call_id: call1)\nhello",
  );
});
