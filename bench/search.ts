import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type EventStore, openSqliteEventStore } from "@caret/runtime";
import type { BenchOptions, BenchOutcome } from "./bench-outcome.ts";
import { CARET, type Figure, isMet, ownFigure } from "./figures/figure.ts";
import { toRecord } from "./figures/figure-record.ts";
import { toFigureTable } from "./figures/figure-table.ts";
import { fillWithTalk, TALK_WORKSPACE, talkWord } from "./search/fill-with-talk.ts";

const EVENTS = 1_000_000;
const QUICK_EVENTS = 50_000;
const MOST_MS = 150;

/** How long a search takes over a million events, and what indexing them costs. */
export async function benchSearch({ quick, rounds }: BenchOptions): Promise<BenchOutcome> {
  const figures = await talkFigures(quick, rounds);
  const events = quick ? QUICK_EVENTS : EVENTS;
  return {
    passed: figures.every(isMet),
    table: `search: over ${events.toLocaleString("en")} events\n\n${toFigureTable(figures.map(toRecord))}\n`,
    report: { name: "search", events, figures: figures.map(toRecord) },
    figures: [],
    series: [],
  };
}

/** The same as figures: the page's bench has them too. */
export async function talkFigures(quick: boolean, rounds: number): Promise<readonly Figure[]> {
  const directory = mkdtempSync(join(tmpdir(), "caret-bench-search-"));
  const store = openSqliteEventStore({ directory, role: "gateway" });
  try {
    const events = await fillWithTalk(store, quick ? QUICK_EVENTS : EVENTS);
    const began = performance.now();
    await store.catchUpSearch();
    const perThousand = ((performance.now() - began) / events) * 1000;
    return [
      ownFigure("indexing 1,000 events, pauses for others included", "ms", perThousand),
      ...(await searchFigures(store, rounds)),
    ];
  } finally {
    await store.close();
    rmSync(directory, { recursive: true });
  }
}

async function searchFigures(store: EventStore, rounds: number): Promise<readonly Figure[]> {
  const queries: Readonly<Record<string, Parameters<EventStore["search"]>[0]>> = {
    "a rare word": { text: talkWord(4_999) },
    "a word of every answer": { text: talkWord(0) },
    "two common words": { text: `${talkWord(1)} ${talkWord(2)}` },
    "a phrase": { text: `"${talkWord(0)} ${talkWord(1)}"` },
    "the beginning of many words": { text: talkWord(0).slice(0, 3) },
    "a common word in one session": { text: talkWord(0), sessionId: "session-7" },
    "a common word in one workspace": { text: talkWord(0), workspace: `${TALK_WORKSPACE}/7` },
    "a word that nobody said": { text: "unsaid" },
  };
  const figures: Figure[] = [];
  for (const [what, query] of Object.entries(queries)) {
    const times: number[] = [];
    for (let round = 0; round < rounds; round += 1) times.push(await timeOf(() => store.search(query)));
    figures.push({
      what: `search: ${what}`,
      unit: "ms",
      rounds: { [CARET]: times },
      bar: { of: "value", most: MOST_MS },
    });
  }
  return figures;
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
