import type { TranscriptMessage } from "@caret/protocol";
import fc from "fast-check";
import { expect, it } from "vitest";
import { barSize } from "../../testing/bar-size.ts";
import { rememberTurn } from "./chain.ts";
import { classifyTranscript, type TranscriptMatch } from "./classify-transcript.ts";
import { readQuestion, type TranscriptQuestion } from "./read-question.ts";
import { answer, asking, createLineageBench, result, tools, user } from "./testing/lineage-bench.ts";
import { createMemoryLineageStore } from "./testing/memory-lineage-store.ts";

/** What a client does next with its conversation. Few words, so that conversations often say the same. */
const stepArbitrary = fc.record({
  conversation: fc.nat({ max: 3 }),
  act: fc.constantFrom("say", "say", "say", "result", "repeat", "edit", "truncate", "title", "subagent", "toolless"),
  word: fc.constantFrom("A", "B", "C"),
  outcome: fc.constantFrom("completed", "completed", "failed", "cancelled", undefined),
  at: fc.nat({ max: 5 }),
  model: fc.constantFrom("auto", "auto", "other"),
});
type Step = typeof stepArbitrary extends fc.Arbitrary<infer Value> ? Value : never;

/** The first two are clients that name their conversation; the others do not, and even begin alike. */
const keys = ["one", "two", undefined, undefined];

it("never lets interleaved conversations cross, and always tells a session all and only its own transcript", () => {
  fc.assert(
    fc.property(fc.array(stepArbitrary, { maxLength: 40 }), (steps) => {
      const world = createWorld();
      for (const step of steps) world.play(step);
    }),
    { numRuns: barSize({ quick: 400, full: 2_000 }) },
  );
});

it("never lets a client note change what a transcript is taken for", () => {
  const steps = fc.array(fc.record({ step: stepArbitrary, notes: fc.array(noteArbitrary, { maxLength: 4 }) }), {
    maxLength: 25,
  });
  fc.assert(
    fc.property(steps, (played) => {
      const [plain, noted] = [createWorld(), createWorld()];
      for (const { step, notes } of played) {
        const taken = plain.play(step);
        expect(noted.play(step, (question) => withNotes(question, notes))).toEqual(taken);
      }
    }),
    { numRuns: barSize({ quick: 150, full: 500 }) },
  );
});

it("never takes a transcript with a changed message of the user for the conversation it was", () => {
  const words = fc.string({ unit: "grapheme", minLength: 1, maxLength: 30 }).filter((text) => plainText(text) !== "");
  const edited = fc.record({
    said: fc.array(words, { minLength: 2, maxLength: 6 }),
    at: fc.nat(),
    instead: words,
    sessionKey: fc.constantFrom("key", undefined),
    notes: fc.array(noteArbitrary, { maxLength: 3 }),
  });
  fc.assert(
    fc.property(edited, ({ said, at, instead, sessionKey, notes }) => {
      const index = at % (said.length - 1);
      fc.pre(plainText(said[index] ?? "") !== plainText(instead));
      const bench = createLineageBench();
      for (let length = 1; length < said.length; length += 1)
        bench.ask(asking(dialogue(said.slice(0, length)), { sessionKey }));
      const changed = withNotes(asking(dialogue(said.with(index, instead)), { sessionKey }), notes);
      const verdict = bench.classify(changed);
      // A session may continue from the part before the change, unless it has heard what was changed.
      expect(verdict.relation).not.toBe("continuation");
      expect(bench.classify(changed, "joinable").relation).not.toBe("joined");
    }),
    { numRuns: barSize({ quick: 150, full: 500 }) },
  );
});

/** What a client's program adds, and where: to a message, as a message of its own, or to the system prompt. */
const noteArbitrary = fc.record({
  text: fc.constantFrom(
    "<system-reminder>\nThe current date is: Monday, November 16, 2026.\n</system-reminder>",
    "<system-reminder>You have 3 todos: A, B and C.</system-reminder>",
    "<environment_context>\n  <current_date>2026-11-16</current_date>\n</environment_context>",
    "<environment_details>\n# Current Time\n16/11/2026, 10:32:11 AM\n</environment_details>",
    "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>\nnone\n<<<END_OPENCLAW_INTERNAL_CONTEXT>>>",
    "Today's date is Monday, November 16, 2026.",
    "Current time: 10:32 UTC",
  ),
  where: fc.constantFrom("before", "behind", "part", "message", "last", "system"),
  at: fc.nat({ max: 8 }),
});
type Note = typeof noteArbitrary extends fc.Arbitrary<infer Value> ? Value : never;

function withNotes(question: TranscriptQuestion, notes: readonly Note[]): TranscriptQuestion {
  return notes.reduce((noted, note) => withNote(noted, note), question);
}

function withNote(question: TranscriptQuestion, { text, where, at }: Note): TranscriptQuestion {
  const { system, messages } = question;
  if (where === "system") return { ...question, system: `${system}\n\n${text}` };
  if (where === "last") return { ...question, messages: [...messages, user(text)] };
  const index = at % messages.length;
  if (where === "message") return { ...question, messages: messages.toSpliced(index, 0, user(text)) };
  const message = messages[index];
  if (message?.role !== "user") return question;
  const note = { kind: "text", text: `${text}\n` } as const;
  const parts = message.parts.map((part) =>
    part.kind === "text" && where === "before" ? { ...part, text: `${text}\n\n${part.text}` } : part,
  );
  const noted = { before: parts, behind: [...message.parts, note], part: [note, ...message.parts] }[where];
  return { ...question, messages: messages.with(index, { ...message, parts: noted }) };
}

function dialogue(said: readonly string[]): readonly TranscriptMessage[] {
  return said.flatMap((text, index) => (index === 0 ? [user(text)] : [answer("…"), user(text)]));
}

/** The parts of a text that count: surrounding space does not, nor does a date it states. */
function plainText(text: string): string {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join("\n");
}

function createWorld() {
  const store = createMemoryLineageStore();
  /** What is said in each conversation, and in what stands beside each of them. */
  const said = new Map<string, TranscriptMessage[]>();
  /** What each session has heard, and whose it is. */
  const sessions = new Map<string, { heard: readonly string[]; owner: string }>();
  let turns = 0;

  /** Returns how the request was classified. */
  function play(step: Step, change = (question: TranscriptQuestion) => question): string {
    const beside = step.act === "subagent" || step.act === "toolless" || step.act === "title";
    const owner = beside ? `${step.act} of ${step.conversation}` : `${step.conversation}`;
    const messages = changed(said.get(owner) ?? [], step);
    said.set(owner, messages);
    if (messages.length === 0) return "nothing";
    const plain = asking(messages, { sessionKey: keys[step.conversation], variant: [step.model], ...shape(step) });
    turns += 1;
    const verdict = classifyTranscript(readQuestion(change(plain)), store, () => "over");
    const { sessionId, heardBefore } = follow(verdict, messages, owner);
    sessions.set(sessionId, { heard: toWords(messages), owner });
    const turnId = `t${turns}`;
    void rememberTurn(store, verdict.line, { sessionId, turnId, heardBefore, at: turns }, Promise.resolve());
    if (step.outcome !== undefined) void store.settle(verdict.line, turnId, step.outcome);
    messages.push(answer(`answer ${turns}`));
    return `${verdict.relation} ${sessionId} ${heardBefore}`;
  }

  /** Which session takes it, once it is sure that it may. */
  function follow(verdict: TranscriptMatch, messages: readonly TranscriptMessage[], owner: string) {
    if (verdict.relation !== "continuation") return { sessionId: `s${turns}`, heardBefore: 0 };
    const { sessionId, heardBefore } = verdict;
    const session = sessions.get(sessionId);
    const words = toWords(messages);
    const told = [...(session?.heard.slice(0, heardBefore) ?? []), ...words.slice(heardBefore)];
    expect({ told, owner: session?.owner }).toEqual({ told: words, owner });
    return { sessionId, heardBefore };
  }

  return { play };
}

function changed(messages: TranscriptMessage[], { act, word, at }: Step): TranscriptMessage[] {
  if (act === "say" || act === "subagent" || act === "toolless") return [...messages, user(word)];
  if (act === "result" && messages.length > 0) return [...messages, result(`call${at}`, word)];
  if (act === "edit") return [...messages.slice(0, at), user(word)];
  if (act === "truncate") return messages.slice(0, at);
  return act === "title" ? [user(word)] : [...messages];
}

function shape({ act }: Step): Partial<TranscriptQuestion> {
  if (act === "title") return { system: "You are a title generator.", tools: [] };
  if (act === "subagent") return { system: "You search.", tools: tools.slice(1) };
  return act === "toolless" ? { system: "You chat.", tools: [] } : {};
}

function toWords(messages: readonly TranscriptMessage[]): readonly string[] {
  return messages.flatMap((message) => (message.role === "assistant" ? [] : [JSON.stringify(message)]));
}
