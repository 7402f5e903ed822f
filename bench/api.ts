import { bareClient, type CaretLane, type Contestant, caretLane, startFloodingUpstream } from "./api/contestants.ts";
import type { BenchOutcome } from "./bench-outcome.ts";
import { type Figure, isMet, toFigureTable } from "./doors/figure.ts";
import type { DoorsOptions } from "./doors.ts";

const TEXT_LENGTH = "token ".length;
const MILLION = 1_000_000;

/** What the API lane costs, against a client that only takes the library's messages one by one. */
export async function benchApi({ quick }: DoorsOptions): Promise<BenchOutcome> {
  const upstream = await startFloodingUpstream();
  const lane = caretLane(upstream.url);
  const bare = bareClient(upstream.url);
  try {
    const figures = [
      ...(await firstToken(bare, lane.take, quick ? 20 : 100)),
      ...(await flood(bare, lane.take, quick ? 50_000 : 200_000, quick ? 3 : 7)),
      ...(await manyStreams(lane, upstream.connections, 256)),
    ];
    return {
      passed: figures.every(isMet),
      table: `api: medians; ratio is caret / floor\nfloor: a bare connect-node client that takes message by message\n\n${toFigureTable(figures)}\n`,
      report: { name: "api", quick, figures: figures.map((figure) => ({ ...figure, met: isMet(figure) })) },
    };
  } finally {
    await lane.close();
    upstream.stop();
  }
}

async function firstToken(bare: Contestant, caret: Contestant, rounds: number): Promise<readonly Figure[]> {
  const floor: number[] = [];
  const ours: number[] = [];
  for (let round = -5; round < rounds; round += 1) {
    const [one, other] = [await bare(1), await caret(1)];
    if (round < 0) continue;
    floor.push(one.firstMs);
    ours.push(other.firstMs);
  }
  return [
    {
      what: "first token",
      unit: "ms",
      caret: median(ours),
      floor: { name: "bare", value: median(floor) },
      target: 1.5,
    },
  ];
}

async function flood(bare: Contestant, caret: Contestant, deltas: number, rounds: number): Promise<readonly Figure[]> {
  const floor: number[] = [];
  const ours: number[] = [];
  let lost = 0;
  for (let round = -1; round < rounds; round += 1) {
    const one = await cpuOf(() => bare(deltas));
    const other = await cpuOf(() => caret(deltas));
    lost += deltas - other.result.characters / TEXT_LENGTH;
    if (round < 0) continue;
    floor.push(one.seconds);
    ours.push(other.seconds);
  }
  const perMillion = (values: readonly number[]): number => (median(values) * MILLION) / deltas;
  return [
    {
      what: "processor time of a million deltas",
      unit: "s",
      caret: perMillion(ours),
      floor: { name: "bare", value: perMillion(floor) },
      target: 1.5,
    },
    { what: "deltas of a flooding answer that were lost", unit: "", caret: lost, target: 0 },
  ];
}

/** All at once, on the connection that is there. */
async function manyStreams(
  { take }: CaretLane,
  connections: () => Promise<number>,
  count: number,
): Promise<readonly Figure[]> {
  const before = await connections();
  const taken = await Promise.allSettled(Array.from({ length: count }, () => take(500)));
  const whole = taken.filter(
    ({ status, ...rest }) => status === "fulfilled" && "value" in rest && rest.value.characters === 500 * TEXT_LENGTH,
  );
  const opened = (await connections()) - before;
  return [
    { what: `${count} streams: that did not arrive whole`, unit: "", caret: count - whole.length, target: 0 },
    { what: `${count} streams: connections opened for them`, unit: "", caret: opened, target: 1 },
  ];
}

async function cpuOf<Result>(
  work: () => Promise<Result>,
): Promise<{ readonly seconds: number; readonly result: Result }> {
  const before = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  return { seconds: (user + system) / MILLION, result };
}

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? Number.NaN;
}
