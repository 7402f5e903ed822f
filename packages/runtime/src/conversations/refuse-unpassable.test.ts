import { CaretError, type TranscriptMessage, type TranscriptPart } from "@caret/protocol";
import { describe, expect, it } from "vitest";
import { createUnpassableRefuser } from "./refuse-unpassable.ts";

const text = (words: string): TranscriptPart => ({ kind: "text", text: words });
const pdf: TranscriptPart = {
  kind: "unpassable",
  label: "a PDF document",
  digest: "d1",
  refusal: { message: "No PDFs.", fix: "Send text." },
};
const user = (...parts: readonly TranscriptPart[]): TranscriptMessage => ({ role: "user", parts });
const answer: TranscriptMessage = { role: "assistant", text: "Hm.", calls: [] };
const result: TranscriptMessage = { role: "tool", callId: "c1", parts: [pdf], isError: false };

function createChecks() {
  const refuser = createUnpassableRefuser((part) => (part.kind === "unpassable" ? part.refusal : undefined));
  return (messages: readonly TranscriptMessage[], tokenName = "me"): string => {
    try {
      refuser.check(messages, tokenName);
      return "taken";
    } catch (reason) {
      return CaretError.from(reason).code;
    }
  };
}

describe("something that cannot be passed on to the agent", () => {
  it("is refused when it is new, as often as the same request comes", () => {
    const check = createChecks();
    const asked = [user(text("Sum it up"), pdf)];
    expect([check(asked), check(asked), check(asked, "somebody else")]).toEqual([
      "invalid-request",
      "invalid-request",
      "invalid-request",
    ]);
  });

  it.each([
    ["before an answer", [user(pdf), answer, user(text("And now?"))]],
    ["in a tool's result", [user(text("Read")), answer, result]],
    [
      "behind a tool's result, with the client's caption",
      [user(text("Read")), answer, { ...result, parts: [] }, user(text("Attached image(s) from tool result:"), pdf)],
    ],
    ["in a message before the last", [user(pdf), user(text("And now?"))]],
  ])("is taken %s: nothing of the past or of a tool fails a request", (_name, messages) => {
    expect(createChecks()(messages)).toBe("taken");
  });

  it("is refused beside results when the user says something with it", () => {
    expect(createChecks()([user(text("Read")), answer, result, user(text("What is this?"), pdf)])).toBe(
      "invalid-request",
    );
  });

  it("is taken where it was refused before and the client has joined it with the next question", () => {
    const check = createChecks();
    const refused = check([user(text("Sum it up"), pdf)]);
    const next = [user(text("Sum it up"), pdf, text("Never mind. What is 2 + 3?"))];
    expect({ refused, next: check(next), again: check(next), elsewhere: check(next, "somebody else") }).toEqual({
      refused: "invalid-request",
      next: "taken",
      again: "taken",
      elsewhere: "invalid-request",
    });
  });

  it("is refused in every conversation that it is new in, and taken wherever that goes on", () => {
    const check = createChecks();
    const words = ["Sum it up", "Read it to me", "What is it?"];
    const checks = words.map((said) => [
      check([user(text(said), pdf)]),
      check([user(pdf, text(`${said}\n\nNever mind.`))]),
      check([user(text(said), pdf)]),
    ]);
    expect(checks).toEqual(words.map(() => ["invalid-request", "taken", "invalid-request"]));
  });
});
