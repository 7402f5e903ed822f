import type { TranscriptMessage } from "@caret/protocol";
import { rememberTurn } from "../chain.ts";
import { classifyTranscript, type TranscriptMatch } from "../classify-transcript.ts";
import type { TurnState } from "../find-origin.ts";
import type { LineageRecord } from "../lineage-store.ts";
import { readQuestion, type TranscriptQuestion } from "../read-question.ts";
import { createMemoryLineageStore } from "./memory-lineage-store.ts";

export const tools = [{ name: "read" }, { name: "bash" }];

export function asking(
  messages: readonly TranscriptMessage[],
  changes: Partial<TranscriptQuestion> = {},
): TranscriptQuestion {
  const plain = { place: ["me"], owner: "agent", sessionKey: "key", variant: ["auto"], sendsSystem: true };
  return { ...plain, system: "You are a coder.", tools, messages, ...changes };
}

export const user = (...texts: readonly string[]): TranscriptMessage => ({
  role: "user",
  parts: texts.map((text) => ({ kind: "text", text })),
});
export const answer = (text: string): TranscriptMessage => ({ role: "assistant", text, calls: [] });
export const result = (callId: string, text: string): TranscriptMessage => ({
  role: "tool",
  callId,
  parts: [{ kind: "text", text }],
  isError: false,
});

/** An index, and sessions `s1`, `s2`, … that answer requests. */
export function createLineageBench() {
  const store = createMemoryLineageStore();
  let turns = 0;
  const classify = (question: TranscriptQuestion, state: TurnState = "over"): TranscriptMatch =>
    classifyTranscript(readQuestion(question), store, () => state);
  return {
    store,
    classify,
    /** Classifies a request and lets a turn answer it. Returns the relation and the session that took it. */
    ask(question: TranscriptQuestion, outcome: NonNullable<LineageRecord["outcome"]> | "none" = "completed"): string {
      const verdict = classify(question);
      turns += 1;
      const sessionId = verdict.relation === "continuation" ? verdict.sessionId : `s${turns}`;
      const heardBefore = verdict.relation === "continuation" ? verdict.heardBefore : 0;
      const turnId = `t${turns}`;
      void rememberTurn(store, verdict.line, { sessionId, turnId, heardBefore, at: 0 }, Promise.resolve());
      if (outcome !== "none") void store.settle(verdict.line, turnId, outcome);
      return `${verdict.relation} ${sessionId}`;
    },
  };
}
