import { type AgentEventOf, answerParts, emptyTurn, foldTurn, type TurnSummary } from "@caret/protocol";
import type { EventStore } from "./event-store.ts";
import type { HistoryMessage } from "./lane.ts";

const PAGE = 1_000;
/** A transcript for an upstream that forgot: the newest part of it, since a prompt has an end. */
const MAX_TRANSCRIPT_CHARACTERS = 100_000;

/** What was asked and answered in a session, oldest first. Turns that said nothing are left out. */
export async function readHistory(store: EventStore, sessionId: string): Promise<readonly HistoryMessage[]> {
  const messages: HistoryMessage[] = [];
  let prompt: string | undefined;
  let turn: TurnSummary = emptyTurn;
  let seq = 0;
  for (;;) {
    const page = await store.read(sessionId, { afterSeq: seq, limit: PAGE });
    for (const { event } of page) {
      if (event.type === "turn-start") {
        prompt = askedIn(event);
        turn = emptyTurn;
      }
      turn = foldTurn(turn, event);
      if (event.type === "turn-end") messages.push(...exchange(prompt, turn));
    }
    seq = page.at(-1)?.seq ?? seq;
    if (page.length < PAGE) return messages;
  }
}

/** The images themselves belong to that turn. */
function askedIn({ prompt, images = [] }: AgentEventOf<"turn-start">): string | undefined {
  return prompt === undefined || images.length === 0 ? prompt : `${prompt}\n[attached images: ${images.length}]`;
}

function exchange(prompt: string | undefined, turn: TurnSummary): readonly HistoryMessage[] {
  const text = answerParts(turn).join("\n\n");
  if (prompt === undefined || text === "") return [];
  return [
    { role: "user", text: prompt },
    { role: "assistant", text },
  ];
}

/** The prompt for an upstream that has lost the session: what was said, clearly marked as such, then what is asked now. */
export function withTranscript(history: readonly HistoryMessage[], prompt: string): string {
  if (history.length === 0) return prompt;
  const told = history.map(({ role, text }) => `${role === "user" ? "USER" : "ASSISTANT"}:\n${text}`).join("\n\n");
  const kept = told.length > MAX_TRANSCRIPT_CHARACTERS ? `[…]\n${told.slice(-MAX_TRANSCRIPT_CHARACTERS)}` : told;
  return `<earlier_conversation>\n${kept}\n</earlier_conversation>\n\n${prompt}`;
}
