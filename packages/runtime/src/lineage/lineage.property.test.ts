import fc from "fast-check";
import { expect, it } from "vitest";
import { classifyTranscript, type LineageQuestion } from "./classify-transcript.ts";
import { createMemoryLineageStore } from "./memory-lineage-store.ts";
import { rememberTurn } from "./remember-turn.ts";
import type { TranscriptMessage } from "./transcript.ts";

/** What a client does next with its conversation. Few words, so that conversations often say the same. */
const stepArbitrary = fc.record({
  conversation: fc.nat({ max: 3 }),
  act: fc.constantFrom("say", "say", "say", "result", "repeat", "edit", "truncate", "title", "subagent"),
  word: fc.constantFrom("A", "B", "C"),
  outcome: fc.constantFrom("completed", "completed", "failed", "cancelled", undefined),
  at: fc.nat({ max: 5 }),
});
type Step = typeof stepArbitrary extends fc.Arbitrary<infer Value> ? Value : never;

const tools = [{ name: "read" }, { name: "bash" }];
/** The first two are clients that name their conversation; the others do not, and even begin alike. */
const keys = ["one", "two", undefined, undefined];

it("never lets interleaved conversations cross, and always tells a session all and only its own transcript", () => {
  fc.assert(
    fc.property(fc.array(stepArbitrary, { maxLength: 40 }), (steps) => {
      const world = createWorld();
      for (const step of steps) world.play(step);
    }),
    { numRuns: 1_000 },
  );
});

function createWorld() {
  const store = createMemoryLineageStore();
  /** What is said in each conversation, and in the subagent of each. */
  const said = new Map<string, TranscriptMessage[]>();
  /** What each session has heard, and whose it is. */
  const sessions = new Map<string, { heard: readonly string[]; owner: string }>();
  let turns = 0;

  function play(step: Step): void {
    const owner = step.act === "subagent" ? `subagent ${step.conversation}` : `${step.conversation}`;
    const messages = change(said.get(owner) ?? [], step);
    said.set(owner, messages);
    if (messages.length === 0) return;
    const question = { place: ["me"], sessionKey: keys[step.conversation], ...shape(step, messages) };
    const { line, sessionId, heardBefore } = follow(question, owner);
    sessions.set(sessionId, { heard: toWords(messages), owner });
    const turnId = `t${turns}`;
    rememberTurn(store, line, { sessionId, turnId, heardBefore, at: turns });
    if (step.outcome !== undefined) store.settle(line.hash, turnId, step.outcome);
    messages.push({ role: "assistant", text: `answer ${turns}`, calls: [] });
  }

  /** Which session takes it, once it is sure that it may. */
  function follow(question: LineageQuestion, owner: string) {
    turns += 1;
    const verdict = classifyTranscript(question, store, () => "over");
    if (verdict.relation !== "continuation") return { line: verdict.line, sessionId: `s${turns}`, heardBefore: 0 };
    const { line, sessionId, heardBefore, newFrom } = verdict;
    const session = sessions.get(sessionId);
    const heard = session?.heard.slice(0, heardBefore) ?? [];
    const told = [...heard, ...toWords(question.messages.slice(newFrom))];
    expect({ told, owner: session?.owner }).toEqual({ told: toWords(question.messages), owner });
    return { line, sessionId, heardBefore };
  }

  return { play };
}

function change(messages: TranscriptMessage[], { act, word, at }: Step): TranscriptMessage[] {
  const user: TranscriptMessage = { role: "user", parts: [{ kind: "text", text: word }] };
  if (act === "say" || act === "subagent") return [...messages, user];
  if (act === "result" && messages.length > 0)
    return [...messages, { role: "tool", callId: `call${at}`, parts: user.parts, isError: false }];
  if (act === "edit") return [...messages.slice(0, at), user];
  if (act === "truncate") return messages.slice(0, at);
  return [...messages];
}

function shape({ act }: Step, messages: readonly TranscriptMessage[]) {
  if (act === "title") return { system: "You are a title generator.", tools: [], messages };
  if (act === "subagent") return { system: "You search.", tools: tools.slice(1), messages };
  return { system: "You are a coder.", tools, messages };
}

function toWords(messages: readonly TranscriptMessage[]): readonly string[] {
  return messages.flatMap((message) => (message.role === "assistant" ? [] : [JSON.stringify(message)]));
}
