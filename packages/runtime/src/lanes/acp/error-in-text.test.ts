import { CaretError } from "@caret/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createAcpUpdates } from "../../decode/acp/acp-updates.ts";
import { errorInText } from "./error-in-text.ts";

const read = (text: string): string | undefined =>
  errorInText(text, (words) => new CaretError("upstream-error", words))?.message;

describe("an answer that quotes an error", () => {
  it.each([
    "\n\nTypeError: x is not a function",
    "Error: [unavailable] means that the server is overloaded.",
    "Error: T: [unavailable] is what it printed",
    "\n\nError: ENOENT: no such file or directory",
    "\n\nConnectError: [unavailable] is a class of Connect's.",
    "\n\nError: T: [unavailable] HTTP 503\n\nThis means that nobody listens.",
    "It prints:\n\nError: T: [unavailable] HTTP 503",
    "Upgrade your plan to continue with the tests, then run them.",
    "ActionRequiredError: this class is thrown when a limit is reached.",
    `\n\nError: T: [unavailable] ${"x".repeat(2_000)}`,
    "",
  ])("is an answer: %j", (text) => {
    expect(read(text)).toBeUndefined();
  });
});

const piece = fc.constantFrom(
  "\n\nError: T: [unavailable] HTTP 503",
  "\n\nTypeError: x is not a function",
  "Upgrade your plan to continue",
  "Error: [unavailable] means that",
  "\n\nError: ActionRequiredError: You've hit your usage limit.",
  "It prints:",
  "\n",
);

it("keeps every word of an answer that quotes errors, and completes its turn", () => {
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 6 }), (pieces) => {
      const updates = createAcpUpdates({
        errorIn: (text) => errorInText(text, (words) => new CaretError("upstream-error", words)),
      });
      const chunks = ["So:", ...pieces].map((text) => ({
        sessionUpdate: "agent_message_chunk",
        content: { type: "text", text },
      }));
      const events = [...chunks.flatMap((chunk) => updates.update(chunk)), ...updates.answered(undefined)].map(
        ({ event }) => event,
      );
      const last = events.at(-1);
      expect({
        text: events.flatMap((event) => (event.type === "text-delta" ? [event.text] : [])).join(""),
        outcome: last?.type === "turn-end" && last.outcome.kind,
      }).toEqual({ text: ["So:", ...pieces].join(""), outcome: "completed" });
    }),
  );
});

describe("the agent's own wording of a failure", () => {
  it.each([
    "Upgrade your plan to continue",
    "\n\nError: T: [unavailable] HTTP 503",
    "\n\nError: RetriableError: [resource_exhausted] Error",
    "\n\nError: ActionRequiredError: You've hit your usage limit.",
    "\n\nError: RATE_LIMITED_CHANGEABLE: Named models unavailable: Free plans can only use Auto",
    "\n\nError: Your team administrator has disabled headless Cursor CLI usage.",
  ])("is one: %j", (text) => {
    expect(read(text)).toBe(text.trim());
  });
});

it("is decided about in a moment, however long the text", () => {
  const started = performance.now();
  for (const text of ["\n\n".repeat(200_000), "Error: ".repeat(100_000), `\n\nError: ${"w".repeat(400_000)}`])
    read(text);
  expect(performance.now() - started).toBeLessThan(1_000);
});
