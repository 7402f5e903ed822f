import type { TranscriptMessage } from "@caret/protocol";
import { expect, it } from "vitest";
import { withoutMarks } from "../testing/without-marks.ts";
import { type PromptParts, renderPrompt, toolNamesOf } from "./render-prompt.ts";

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

const rendered = (parts: PromptParts): string => withoutMarks(renderPrompt(parts));

const goOn = "These are the results of the calls that you made. Go on with the task.";

it("says to go on with the task after results that nobody waits for", () => {
  expect(rendered({ instructions: "", messages: [result], toolNames: new Map([["c1", "read"]]) })).toBe(
    `TOOL_RESULT (name: read, call_id: c1)\nhello\n\n${goOn}`,
  );
});

it("puts results that the user has gone on from into the past, and asks only the question", () => {
  const messages = [
    question,
    call,
    result,
    { ...question, parts: [{ kind: "text" as const, text: "What is my name?" }] },
  ];
  expect(rendered({ instructions: "", messages, toolNames: toolNamesOf(messages) })).toBe(`<earlier_conversation>
USER:
Read a.txt

TOOL_CALL (name: read, call_id: c1)
{"path":"a.txt"}

TOOL_RESULT (name: read, call_id: c1)
hello
</earlier_conversation>

What is my name?`);
});

it("takes a client's reminder beside results for no question", () => {
  const reminder = "<system-reminder>\nThe list is empty.\n</system-reminder>";
  const messages = [result, { ...question, parts: [{ kind: "text" as const, text: reminder }] }];
  expect(rendered({ instructions: "", messages, toolNames: new Map([["c1", "read"]]) })).toBe(
    `TOOL_RESULT (name: read, call_id: c1)\nhello\n\nUSER:\n${reminder}\n\n${goOn}`,
  );
});

it("tells a past that the session has no part in, then the results that are new", () => {
  const messages = [question, call, result, { ...result, callId: "c2", isError: true }];
  expect(rendered({ instructions: "Be brief.", messages, toolNames: toolNamesOf(messages) })).toBe(`<instructions>
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
hello

These are the results of the calls that you made. Go on with the task.`);
});

it("adds nothing to a plain question", () => {
  expect(rendered({ instructions: " ", messages: [question], toolNames: new Map() })).toBe("Read a.txt");
});

it("names a result's tool when the client spells the call's id in two ways", () => {
  const messages = [question, { ...call, calls: [{ callId: "call_1", name: "read", input: {} }] }];
  const told = { ...result, callId: "call1" };
  expect(rendered({ instructions: "", messages: [told], toolNames: toolNamesOf(messages) })).toBe(
    `TOOL_RESULT (name: read, call_id: call1)\nhello\n\n${goOn}`,
  );
});
