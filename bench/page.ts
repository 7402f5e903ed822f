import type { ScenarioInput } from "@caret/simulator";
import { launchChromium } from "../tests/page/chromium.ts";
import { PageStage } from "../tests/page/page-stage.ts";
import type { BenchOptions, BenchOutcome } from "./bench-outcome.ts";
import { type Figure, isMet } from "./figures/figure.ts";
import { toRecord } from "./figures/figure-record.ts";
import { toFigureTable } from "./figures/figure-table.ts";
import { firstLoad } from "./page/first-load.ts";
import { liveList } from "./page/live-list.ts";
import { longSession, veryLongSession } from "./page/long-session.ts";
import { manyStreams } from "./page/many-streams.ts";
import { stream, streamedTurn } from "./page/stream.ts";
import { talkFigures } from "./search.ts";

type Measurement = (stage: PageStage, quick: boolean) => Promise<readonly Figure[]>;

const measurements: Readonly<Record<string, Measurement>> = {
  "first-load": firstLoad,
  long: longSession,
  "very-long": veryLongSession,
  stream,
  streams: manyStreams,
  list: liveList,
  search: (_stage, quick) => talkFigures(quick, quick ? QUICK_SEARCHES : SEARCHES),
};

const SEARCHES = 5;
const QUICK_SEARCHES = 3;

/** What the page costs a real browser: to load, to open a long session, to keep up with a fast one and with many; and a search. */
export async function benchPage({ quick, only }: BenchOptions): Promise<BenchOutcome> {
  const scenario: ScenarioInput = { turns: [streamedTurn(quick)] };
  const stage = await PageStage.open({ scenario, browser: launchChromium });
  try {
    const figures: Figure[] = [];
    for (const name of only.length > 0 ? only : Object.keys(measurements))
      figures.push(...(await measurementOf(name)(stage, quick)));
    return {
      passed: figures.every(isMet),
      table: `page: in Chromium ${stage.browser.version()}\n\n${toFigureTable(figures.map(toRecord))}\n`,
      report: { name: "page", quick, figures: figures.map(toRecord) },
      figures: [],
      series: [],
    };
  } finally {
    await stage.close();
  }
}

function measurementOf(name: string): Measurement {
  const found = Object.hasOwn(measurements, name) ? measurements[name] : undefined;
  if (found !== undefined) return found;
  throw new Error(`There is no measurement ${name}; there is: ${Object.keys(measurements).join(", ")}`);
}
