import { expect, it } from "vitest";
import { titleOf } from "./title-of.ts";

const redactor = { redactText: (text: string) => text.replace("hunter2", "***") } as Parameters<typeof titleOf>[1];

it.each([
  ["Claude Code", "<system-reminder>\nBe careful.\n</system-reminder>\n\nFix the bug\nin a.ts", "Fix the bug"],
  ["Codex", "<environment_context>\n  <cwd>/home/me</cwd>\n</environment_context>\nFix the bug", "Fix the bug"],
  ["a client that has sessions", "<session>\nid 4\n</session>\nFix the bug", "Fix the bug"],
  ["OpenCode", '"Fix the bug"\n', "Fix the bug"],
  ["OpenClaw", "<<<BEGIN_INTERNAL_CONTEXT>>>\nnone\n<<<END_INTERNAL_CONTEXT>>>\nFix the bug", "Fix the bug"],
  ["a person who quotes", 'Say "hi" and "bye"', 'Say "hi" and "bye"'],
  ["a person who asks about a tag", "What is <system-reminder> for?", "What is <system-reminder> for?"],
  ["a person who types a secret", "The password is hunter2", "The password is ***"],
  ["a person with a long question", "x".repeat(200), "x".repeat(80)],
])("clients D10: a session of %s is named by what was asked", (_, text, title) => {
  expect(titleOf(text, redactor)).toBe(title);
});

it("clients D10: a prompt that only a program wrote keeps its first line", () => {
  expect(titleOf("<system-reminder>\nBe careful.\n</system-reminder>", redactor)).toBe("<system-reminder>");
});

it("a title ends before any line break and never inside a surrogate pair", () => {
  const texts = ["first\r\nsecond", "first\rsecond", `${"x".repeat(79)}😀`, `${"x".repeat(78)}😀y`];
  expect(texts.map((text) => titleOf(text, redactor))).toEqual([
    "first",
    "first",
    "x".repeat(79),
    `${"x".repeat(78)}😀`,
  ]);
});
