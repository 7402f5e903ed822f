import { openAcpContest } from "./acp/contestants.ts";
import type { BenchOptions, BenchOutcome } from "./bench-outcome.ts";
import { CARET, type Figure, isMet, ownFigure } from "./figures/figure.ts";
import { toRecord } from "./figures/figure-record.ts";
import { toFigureTable } from "./figures/figure-table.ts";
import { spreadOf } from "./figures/quantile.ts";

const FLOOR = "bare";
/** First tokens per round; a round's value is their median. */
const TURNS = 10;
const SESSIONS = 50;

/** What the ACP lane costs, against a client that only reads and writes the protocol's lines. */
export async function benchAcp({ rounds }: BenchOptions): Promise<BenchOutcome> {
  const contest = await openAcpContest();
  try {
    const taken = { [FLOOR]: [] as number[], [CARET]: [] as number[] };
    for (let round = -1; round < rounds; round += 1) {
      const floor: number[] = [];
      const ours: number[] = [];
      for (let turn = 0; turn < TURNS; turn += 1) {
        floor.push(await contest.bare());
        ours.push(await contest.caret());
      }
      if (round < 0) continue;
      taken[FLOOR]?.push(spreadOf(floor).median);
      taken[CARET]?.push(spreadOf(ours).median);
    }
    const firstToken: Figure = {
      what: "first token of a new session, warm process",
      unit: "ms",
      rounds: taken,
      floor: FLOOR,
      bar: { of: "ratio", most: 1.3 },
    };
    const before = { ours: process.memoryUsage().rss / 1024, agent: contest.agentMemory() };
    for (let session = 0; session < SESSIONS; session += 1) await contest.caret();
    const perSession = (grown: number): number => Math.max(0, Math.round(grown / SESSIONS));
    const figures = [
      firstToken,
      ownFigure(
        `memory of one of ${SESSIONS} sessions, in Caret`,
        "kB",
        perSession(process.memoryUsage().rss / 1024 - before.ours),
      ),
      ownFigure(
        `memory of one of ${SESSIONS} sessions, in the agents`,
        "kB",
        perSession(contest.agentMemory() - before.agent),
      ),
    ];
    const head = `acp: medians of ${rounds} interleaved rounds (quartiles); ratio is to the floor`;
    return {
      passed: figures.every(isMet),
      table: `${head}\nfloor: bare, a client that reads and writes lines\n\n${toFigureTable(figures.map(toRecord))}\n`,
      report: { name: "acp", rounds, figures: figures.map(toRecord) },
      figures,
      series: [],
    };
  } finally {
    await contest.close();
  }
}
