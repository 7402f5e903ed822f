import type { AgentEvent } from "@caret/protocol";
import type { EventStore } from "@caret/runtime";

export const TALK_WORKSPACE = "/projects";
const EVENTS_PER_TURN = 25;
const TURNS_PER_SESSION = 40;
const WORKSPACES = 50;
const WORDS_PER_DELTA = 12;
const VOCABULARY = 5_000;
const SYLLABLES = ["ka", "ro", "mi", "ten", "sul", "bar", "nie", "dos", "vel", "pra"];

/** The word of a rank: the lower the rank, the more often it is said. */
export function talkWord(rank: number): string {
  return [rank % 10, Math.floor(rank / 10) % 10, Math.floor(rank / 100) % 10, Math.floor(rank / 1000)]
    .map((digit) => SYLLABLES[digit])
    .join("");
}

/** Sessions whose words are as unevenly spread as a language's. Gives how many events there are. */
export async function fillWithTalk(store: EventStore, events: number): Promise<number> {
  const perSession = EVENTS_PER_TURN * TURNS_PER_SESSION;
  const sessions = Math.ceil(events / perSession);
  const random = seededRandom(7);
  for (let number = 0; number < sessions; number += 1) {
    const id = `session-${number}`;
    const at = Date.UTC(2026, 0, 1) + number * 3_600_000;
    const workspace = `${TALK_WORKSPACE}/${number % WORKSPACES}`;
    await store.createSession({ id, workspace, createdAt: at });
    const entries = Array.from({ length: TURNS_PER_SESSION }, (_, turn) =>
      turnEvents(`t${turn}`, random).map((event) => ({ turnId: `t${turn}`, event, at: at + turn * 60_000 })),
    ).flat();
    await store.append(id, 0, entries, { copied: true });
  }
  return sessions * perSession;
}

function turnEvents(turnId: string, random: () => number): readonly AgentEvent[] {
  const deltas = Array.from({ length: EVENTS_PER_TURN - 4 }, () => delta(random));
  return [
    { type: "turn-start", turnId, lane: "sim", prompt: words(random) },
    { type: "text-start", blockId: "b1" },
    ...deltas,
    { type: "text-end", blockId: "b1" },
    { type: "turn-end", outcome: { kind: "completed" } },
  ];
}

function delta(random: () => number): AgentEvent {
  return { type: "text-delta", blockId: "b1", text: `${talkWord(0)} ${words(random)} ` };
}

function words(random: () => number): string {
  // Squared, so that low ranks come often.
  return Array.from({ length: WORDS_PER_DELTA }, () => talkWord(Math.floor(random() * random() * VOCABULARY))).join(
    " ",
  );
}

function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 0x7fffffff;
  };
}
