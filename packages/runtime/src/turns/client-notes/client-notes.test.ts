import { describe, expect, it } from "vitest";
import { splitNotes, stableSystem } from "./client-notes.ts";

describe("client notes in a message", () => {
  const notes = [
    "<system-reminder>\nThe date is 2026-11-16.\n</system-reminder>",
    "<system-reminder>Current date: 2026-11-16. Use it.</system-reminder>",
    "<system_reminder>\nx\n</system_reminder>",
    "<reminderInstructions>\nx\n</reminderInstructions>",
    "<environment_context>\n  <cwd>/home/ada</cwd>\n</environment_context>",
    "<environment_details>\n# Current Time\n</environment_details>",
    "<env>\nPlatform: linux\n</env>",
    "<user_info>\nOS: linux\n</user_info>",
    "<workspace-info>x</workspace-info>",
    "<current_datetime>2026-11-16</current_datetime>",
    '<context name="gitStatus">clean\n</context>',
    "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>\nnone\n<<<END_OPENCLAW_INTERNAL_CONTEXT>>>",
    "Today's date is Monday, November 16, 2026.",
    "Current date: 2026-11-16",
    "The current date and time is 16/11/2026, 10:32 PM (UTC).",
    "Current local time: 10:32:11 CET",
  ];

  it.each(notes)("are taken out, wherever they stand: %j", (note) => {
    const [before, behind, between] = [`${note}\n\nHello`, `Hello\n${note}`, `Hello\n${note}\nAda`];
    expect({
      before: splitNotes(before),
      behind: splitNotes(behind),
      between: splitNotes(between),
      alone: splitNotes(note),
    }).toEqual({
      before: { spoken: "Hello", notes: [note] },
      behind: { spoken: "Hello", notes: [note] },
      between: { spoken: "Hello\nAda", notes: [note] },
      alone: { spoken: "", notes: [note] },
    });
  });

  it.each([
    "What does <system-reminder>x</system-reminder> mean?",
    "<system-reminder> is never closed",
    "<env>production</env> is broken",
    "<document>\nA\n</document>\nWhat does it say?",
    "<context>\nA\n</context>\nWhat does it say?",
    "2026-11-16",
    "Today's date is 2026-11-16, how old am I?",
    "It is Monday.",
    "The current date format is ISO 8601",
    "Set the current time to 10:32 in the tests",
  ])("are not what a person says: %j", (text) => {
    expect(splitNotes(text)).toEqual({ spoken: text, notes: [] });
  });

  it("may be a whole message in a tag for context", () => {
    const block = "<context>\nOpen files: a.ts\n</context>";
    expect(splitNotes(block)).toEqual({ spoken: "", notes: [block] });
  });

  it("are found in time that grows with the text, also when a hundred thousand tags are never closed", () => {
    const text = "<env>\n".repeat(100_000);
    const started = performance.now();
    expect(splitNotes(text).notes).toEqual([]);
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});

describe("a system prompt", () => {
  it("keeps what instructs, and loses what changes by itself", () => {
    const system = `You are an agent. Released on 2026-01-02.
<env>
Working directory: /home/ada
Today's date: 2026-11-16
</env>

Today is Monday.
Status:
 M a.ts
?? b.ts

Recent commits:
f4c0b2a init

A helpful rule.
## Tools
- 1234567 is a number.`;
    expect(stableSystem(system)).toBe(
      "You are an agent. Released on (date).\nStatus:\nRecent commits:\nA helpful rule.\n## Tools\n- 1234567 is a number.",
    );
  });
});
