import { bareClient, type CaretLane, type Contestant, caretLane, startFloodingUpstream } from "./api/contestants.ts";
import type { BenchOptions, BenchOutcome } from "./bench-outcome.ts";
import { CARET, type Figure, isMet, ownFigure } from "./figures/figure.ts";
import { toRecord } from "./figures/figure-record.ts";
import { toFigureTable } from "./figures/figure-table.ts";

const TEXT_LENGTH = "token ".length;
const MILLION = 1_000_000;
const FLOOR = "bare";
const STREAMS = 256;
/** First tokens per round; a round's value is their median. */
const TURNS = 20;

/** What the API lane costs, against a client that only takes the library's messages one by one. */
export async function benchApi({ quick, rounds }: BenchOptions): Promise<BenchOutcome> {
  const upstream = await startFloodingUpstream();
  const lane = caretLane(upstream.url);
  const bare = bareClient(upstream.url);
  try {
    const figures = [
      await firstToken(bare, lane.take, rounds),
      ...(await flood(bare, lane.take, { deltas: quick ? 50_000 : 200_000, rounds })),
      ...(await manyStreams(lane, upstream.connections)),
    ];
    const head = `api: medians of ${rounds} interleaved rounds (quartiles); ratio is to the floor`;
    return {
      passed: figures.every(isMet),
      table: `${head}\nfloor: bare, a connect-node client that takes message by message\n\n${toFigureTable(figures.map(toRecord))}\n`,
      report: { name: "api", rounds, figures: figures.map(toRecord) },
      figures,
      series: [],
    };
  } finally {
    await lane.close();
    upstream.stop();
  }
}

async function firstToken(bare: Contestant, caret: Contestant, rounds: number): Promise<Figure> {
  const taken = { [FLOOR]: [] as number[], [CARET]: [] as number[] };
  for (let round = -1; round < rounds; round += 1) {
    const floor: number[] = [];
    const ours: number[] = [];
    for (let turn = 0; turn < TURNS; turn += 1) {
      floor.push((await bare(1)).firstMs);
      ours.push((await caret(1)).firstMs);
    }
    if (round < 0) continue;
    taken[FLOOR]?.push(median(floor));
    taken[CARET]?.push(median(ours));
  }
  return { what: "first token", unit: "ms", rounds: taken, floor: FLOOR, bar: { of: "ratio", most: 1.5 } };
}

interface Flood {
  readonly deltas: number;
  readonly rounds: number;
}

async function flood(bare: Contestant, caret: Contestant, { deltas, rounds }: Flood): Promise<readonly Figure[]> {
  const taken = { [FLOOR]: [] as number[], [CARET]: [] as number[] };
  let lost = 0;
  for (let round = -1; round < rounds; round += 1) {
    const floor = await cpuOf(() => bare(deltas));
    const ours = await cpuOf(() => caret(deltas));
    lost += deltas - ours.result.characters / TEXT_LENGTH;
    if (round < 0) continue;
    taken[FLOOR]?.push((floor.seconds * MILLION) / deltas);
    taken[CARET]?.push((ours.seconds * MILLION) / deltas);
  }
  const what = "processor time of a million deltas";
  return [
    { what, unit: "s", rounds: taken, floor: FLOOR, bar: { of: "ratio", most: 1.5 } },
    ownFigure("deltas of a flooding answer that were lost", "", lost, 0),
  ];
}

/** All at once, on the connection that is there. */
async function manyStreams({ take }: CaretLane, connections: () => Promise<number>): Promise<readonly Figure[]> {
  const before = await connections();
  const deltas = 500;
  const taken = await Promise.allSettled(Array.from({ length: STREAMS }, () => take(deltas)));
  const isWhole = (result: (typeof taken)[number]): boolean =>
    result.status === "fulfilled" && result.value.characters === deltas * TEXT_LENGTH;
  const opened = (await connections()) - before;
  return [
    ownFigure(`${STREAMS} streams that did not arrive whole`, "", STREAMS - taken.filter(isWhole).length, 0),
    ownFigure(`connections opened for ${STREAMS} streams`, "", opened, 1),
  ];
}

interface Measured<Result> {
  readonly seconds: number;
  readonly result: Result;
}

async function cpuOf<Result>(work: () => Promise<Result>): Promise<Measured<Result>> {
  const before = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  return { seconds: (user + system) / MILLION, result };
}

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? Number.NaN;
}
