import { describe, expect, it } from "vitest";
import { answerWords, isComplete, noPicks, pick, toAnswers, write } from "./question-answers.ts";

const options = [
  { id: "a", label: "Alpha" },
  { id: "b", label: "Beta" },
];
const one = { id: "q1", prompt: "Which?", options, allowMultiple: false };
const many = { id: "q2", prompt: "Which ones?", options, allowMultiple: true };

describe("picking answers", () => {
  it("replaces the choice where one is allowed", () => {
    expect(pick(pick(noPicks, one, "a"), one, "b").options).toEqual(new Map([["q1", ["b"]]]));
  });

  it("adds and takes back where several are allowed", () => {
    const both = pick(pick(noPicks, many, "b"), many, "a");
    expect(both.options).toEqual(new Map([["q2", ["b", "a"]]]));
    expect(pick(both, many, "b").options).toEqual(new Map([["q2", ["a"]]]));
  });

  it("is complete when each question has a choice", () => {
    const half = pick(noPicks, one, "a");
    expect(isComplete(half, [one, many])).toBe(false);
    expect(isComplete(pick(half, many, "b"), [one, many])).toBe(true);
    expect(toAnswers(half, [one, many])).toEqual([
      { questionId: "q1", optionIds: ["a"] },
      { questionId: "q2", optionIds: [] },
    ]);
  });

  it("takes a person's own words instead of a choice or besides one, and no blank ones", () => {
    const said = write(pick(noPicks, one, "a"), one, " but later ");
    expect([isComplete(write(noPicks, one, " "), [one]), isComplete(write(noPicks, one, "Neither"), [one])]).toEqual([
      false,
      true,
    ]);
    expect(toAnswers(said, [one])).toEqual([{ questionId: "q1", optionIds: ["a"], text: "but later" }]);
  });

  it.each(["__proto__", "constructor", "toString"])("works for a question that the agent calls %s", (id) => {
    for (const question of [
      { ...one, id },
      { ...many, id },
    ]) {
      expect(isComplete(noPicks, [question])).toBe(false);
      expect(toAnswers(pick(noPicks, question, "a"), [question])).toEqual([{ questionId: id, optionIds: ["a"] }]);
    }
  });
});

describe("answerWords", () => {
  it("says the labels, the bare id of an option that is not there, or that nothing was chosen", () => {
    const answer = (optionIds: readonly string[], text?: string) => ({
      type: "question-answer" as const,
      requestId: "r",
      outcome: "answered" as const,
      answers: [{ questionId: "q2", optionIds: [...optionIds], ...(text !== undefined && { text }) }],
    });
    expect(answerWords(many, answer(["a"], "or none"))).toBe("Alpha, “or none”");
    expect([["a", "b"], ["x"], []].map((ids) => answerWords(many, answer(ids)))).toEqual([
      "Alpha, Beta",
      "x",
      "no choice",
    ]);
  });
});
