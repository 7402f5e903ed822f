import type { AgentEvent } from "@caret/protocol";
import { expect, it } from "vitest";
import { interruptedEnd, noOpenParts, trackOpenParts } from "./interrupted-end.ts";

it("keeps what a command had printed when Caret was killed", () => {
  const call: AgentEvent = { type: "tool-call", callId: "c", name: "exec", kind: "shell", input: {}, owner: "gateway" };
  const parts = noOpenParts();
  const events: readonly AgentEvent[] = [
    call,
    { ...call, callId: "silent" },
    { type: "tool-output", callId: "c", text: "one\n" },
    { type: "tool-output", callId: "c", text: "two" },
  ];
  for (const event of events) trackOpenParts(parts, event);
  expect(interruptedEnd(parts).slice(0, 2)).toEqual([
    {
      type: "tool-result",
      callId: "c",
      status: "interrupted",
      output: "one\ntwo\n[Caret stopped before this call had a result.]",
    },
    {
      type: "tool-result",
      callId: "silent",
      status: "interrupted",
      output: "Caret stopped before this call had a result.",
    },
  ]);
});

it("keeps the beginning of what a command had printed, however much that was", () => {
  const parts = noOpenParts();
  const text = "a line of a build\n".repeat(60_000);
  trackOpenParts(parts, { type: "tool-call", callId: "c", name: "exec", kind: "shell", input: {}, owner: "agent" });
  // More characters than one text can have.
  for (let count = 0; count < 600; count += 1) trackOpenParts(parts, { type: "tool-output", callId: "c", text });
  expect(interruptedEnd(parts)[0]).toEqual({
    type: "tool-result",
    callId: "c",
    status: "interrupted",
    output: `${text.slice(0, 1024 * 1024)}\n[what it printed then was left out]\n[Caret stopped before this call had a result.]`,
  });
});
