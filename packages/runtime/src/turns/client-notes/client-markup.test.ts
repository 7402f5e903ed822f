import { expect, it } from "vitest";
import { withoutClientMarkup } from "./client-notes.ts";

it.each([
  ["Claude Code's reminders", "<system-reminder>\nThe list is empty.\n</system-reminder>"],
  ["Codex's environment", "<environment_context>\n  <cwd>/home</cwd>\n</environment_context>"],
  ["Cline's environment", '<environment_details id="1">\n# Files\n</environment_details>'],
  ["a note that the turn was aborted", "<turn_aborted>\nThe user interrupted.\n</turn_aborted>"],
  [
    "OpenClaw's context",
    "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>\nActive exec sessions:\nnone\n<<<END_OPENCLAW_INTERNAL_CONTEXT>>>",
  ],
  ["the caption of a tool's image", "Attached image(s) from tool result:"],
  ["the caption of a tool's image by name", "The tool read returned the following attachments:"],
  ["the caption of a tool's image in brackets", "[Tool returned the following attachments]"],
  ["two blocks", "<a-b>x</a-b>\n\n<c_d>y</c_d>"],
  ["a block in a block of the same kind of name", "<system-reminder><a-b>x</a-b></system-reminder>"],
])("has nothing left of %s", (_what, text) => {
  expect(withoutClientMarkup(text)).toBe("");
});

it.each([
  ["between blocks", "<a-b>x</a-b>Hello<a-b>y</a-b>", "Hello"],
  ["that look like HTML", "Why is <div>this</div> red?", "Why is <div>this</div> red?"],
  ["behind a block that is never closed", "<a-b> What is my name?", "<a-b> What is my name?"],
  [
    "that mention a tool's image",
    "The tool returned the following images: why?",
    "The tool returned the following images: why?",
  ],
  ["that only mention a block", "What is `<system-reminder>`?", "What is `<system-reminder>`?"],
])("keeps a user's words %s", (_where, text, words) => {
  expect(withoutClientMarkup(text)).toBe(words);
});

it("takes time in proportion to the text, however many blocks are never closed", () => {
  const started = performance.now();
  withoutClientMarkup("<a-b>".repeat(400_000));
  expect(performance.now() - started).toBeLessThan(5_000);
});
