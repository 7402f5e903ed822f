import fc from "fast-check";
import { expect, it } from "vitest";
import { classifyTranscript, type Line, type LineageQuestion } from "./classify-transcript.ts";
import type { LineageRecord } from "./lineage-store.ts";
import { createMemoryLineageStore } from "./memory-lineage-store.ts";
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
  const said: TranscriptMessage[][] = keys.map(() => []);
  /** What each session has heard, and which conversation it belongs to. */
  const sessions = new Map<string, { heard: readonly string[]; key: string | undefined }>();
  let turns = 0;

  function play(step: Step): void {
    const messages = change(said[step.conversation] ?? [], step);
    said[step.conversation] = messages;
    if (messages.length === 0) return;
    const key = keys[step.conversation];
    const question: LineageQuestion = { place: ["me"], sessionKey: key, ...shape(step, messages) };
    const verdict = classifyTranscript(question, store, () => "over");
    if (verdict.relation === "joined") throw new Error("Nothing was joinable");
    const heardBefore = verdict.relation === "continuation" ? verdict.heardBefore : 0;
    turns += 1;
    const sessionId = verdict.relation === "continuation" ? verdict.sessionId : `s${turns}`;
    if (verdict.relation === "continuation") {
      const heard = sessions.get(sessionId)?.heard.slice(0, heardBefore) ?? [];
      const told = [...heard, ...toWords(messages.slice(verdict.newFrom))];
      expect({ told, key: sessions.get(sessionId)?.key }).toEqual({ told: toWords(messages), key });
    }
    sessions.set(sessionId, { heard: toWords(messages), key });
    answer(verdict.line, { sessionId, heardBefore, outcome: step.outcome });
    messages.push({ role: "assistant", text: `answer ${turns}`, calls: [] });
  }

  function answer(line: Line, turn: Pick<LineageRecord, "sessionId" | "heardBefore"> & Pick<Step, "outcome">): void {
    const { outcome, ...rest } = turn;
    const record = { ...rest, turnId: `t${turns}`, count: line.count, at: turns };
    store.put(line.hash, outcome === undefined ? record : { ...record, outcome });
    if (line.scopeRecord !== undefined) store.putScope(line.scope, line.scopeRecord);
  }

  return { play };
}

function change(messages: TranscriptMessage[], { act, word, at }: Step): TranscriptMessage[] {
  const user: TranscriptMessage = { role: "user", parts: [{ kind: "text", text: word }] };
  if (act === "say") return [...messages, user];
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
