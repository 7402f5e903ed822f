import type { RunningTurn } from "../engine/session-engine.ts";
import { meansCall } from "../lineage/call-key.ts";
import type { TranscriptMessage } from "../lineage/transcript.ts";
import type { Enquiry } from "./enquiry.ts";
import { textOf } from "./render-prompt.ts";
import type { SharedTurn } from "./shared-turn.ts";
import type { TurnBook } from "./turn-book.ts";

type ToolMessage = Extract<TranscriptMessage, { role: "tool" }>;

/**
 * If a running turn waits for results that this transcript ends with, give them to it and let its answer go on in this
 * request. Calls without a result keep waiting. Only who started the turn may answer its calls.
 */
export function resumeParked(
  { question, tokenName }: Enquiry,
  turns: readonly RunningTurn[],
  book: Pick<TurnBook, "find">,
): SharedTurn | undefined {
  const news = question.messages.slice(question.messages.findLastIndex(({ role }) => role === "assistant") + 1);
  const results = news.filter((message): message is ToolMessage => message.role === "tool");
  const turn = turns.find((candidate) => results.some(({ callId }) => waitsFor(candidate, callId)));
  const shared = turn && book.find(turn.turnId);
  if (turn === undefined || shared === undefined || shared.tokenName !== tokenName) return undefined;
  shared.resume();
  answerCalls(turn, results, userWords(news));
  return shared;
}

function waitsFor({ parked }: RunningTurn, callId: string): boolean {
  return parked?.open().some((call) => meansCall(callId, call.callId)) ?? false;
}

/** What the user says besides has no other way to an agent in mid-turn than with the last of the results. */
function answerCalls(turn: RunningTurn, results: readonly ToolMessage[], said: string): void {
  const waiting = results.filter(({ callId }) => waitsFor(turn, callId));
  for (const { callId, parts, isError } of waiting) {
    const added = said !== "" && callId === waiting.at(-1)?.callId ? `\n\nThe user adds:\n${said}` : "";
    turn.parked?.answer(callId, { text: textOf(parts) + added, isError });
  }
}

function userWords(messages: readonly TranscriptMessage[]): string {
  return messages.flatMap((message) => (message.role === "user" ? [textOf(message.parts)] : [])).join("\n\n");
}
