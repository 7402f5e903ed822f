import { type AgentEventOf, approvalText, approvalView, markHidden } from "@caret/protocol";
import fc from "fast-check";
import { expect, it } from "vitest";
import { hostileCommands } from "./hostile-commands.ts";

type Request = AgentEventOf<"approval-request">;

const request = (more: Partial<Request>): Request => ({
  type: "approval-request",
  requestId: "r",
  subject: "exec",
  input: {},
  ...more,
});
const textOf = (more: Partial<Request>): string => approvalText(approvalView(request(more)));

/** What a tool may be given: our own argumentNames with values of every kind, and others. */
const argumentNames = [
  "command",
  "cmd",
  "argv",
  "cwd",
  "workdir",
  "description",
  "reason",
  "plan",
  "path",
  "content",
  "env",
  "x",
];
const inputs = fc.dictionary(fc.constantFrom(...argumentNames), fc.jsonValue({ maxDepth: 2 }), {
  noNullPrototype: true,
});

it("leaves out no argument, whatever its name and value, and shows nothing that cannot be seen", () => {
  fc.assert(
    fc.property(inputs, fc.constantFrom("s", undefined), (input, server) => {
      const shown = textOf({ input, ...(server === undefined ? {} : { server }) });
      expect(shown).not.toMatch(/(?![\n ])[\p{Cc}\p{Cf}\p{Z}\u2800]/u);
      for (const [name, value] of Object.entries(input)) {
        const isJson = shown.includes(JSON.stringify(name));
        expect(isJson || isShownAsText(shown, value)).toBe(true);
      }
    }),
  );
});

/** A part of its own shows a text line by line, or the words of a list in quotes. */
function isShownAsText(shown: string, value: unknown): boolean {
  const lines = shown.split("\n").map((line) => line.replace(/^(?:[$>] |[\w ]+: )/, ""));
  const text = Array.isArray(value) ? value.map((word) => JSON.stringify(word)).join(" ") : String(value);
  return text.split("\n").every((line) => {
    const marked = approvalView(request({ input: { command: `${line}.` } })).parts[0]?.text.slice(0, -1) ?? "";
    return lines.some(
      (one) => one.replaceAll("<U+0020>", " ").replaceAll("<U+0009>", "\t") === marked.replaceAll("<U+0009>", "\t"),
    );
  });
}

it("gives back every hostile command from what it shows: nothing is cut, joined or reordered", () => {
  for (const { command } of hostileCommands(500)) {
    const [part] = approvalView(request({ input: { command } })).parts;
    const shown = part?.text ?? "";
    const visible = (text: string) =>
      markHidden(text).replaceAll(/[\t ](?=\n|$)/g, (end) => (end === " " ? "<U+0020>" : "<U+0009>"));
    expect(shown).toBe(visible(command));
    expect(shown.split("\n").length).toBe(command.split("\n").length);
  }
});
