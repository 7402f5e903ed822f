import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { BenchSetting } from "../doors/bench-setting.ts";
import { firstTokenMs, shortDialogues } from "../doors/first-token.ts";
import { timeGets } from "../doors/load-door.ts";
import { type ServedDoor, serveCaret } from "../doors/serve-door.ts";
import type { Figure } from "../figures/figure.ts";
import { median } from "../figures/quantile.ts";
import type { Series } from "../figures/series.ts";
import { fillStore } from "./fill-store.ts";
import type { Growth } from "./growth.ts";

const SIZES = [0, 10, 1_000, 100_000];
const TURNS = 10;
const LISTS = 20;
/** As many as the smallest store has after the first turns, so that all answer with the same number of sessions. */
const LISTED = 10;

interface StoreCost {
  readonly firstToken: number;
  readonly list: number;
}

/** The same gateway over larger and larger stores, against an empty one. */
export async function storeSize(setting: BenchSetting, isFull: boolean): Promise<Growth> {
  const eventsEach = isFull ? 100 : 10;
  const doors: ServedDoor[] = [];
  try {
    for (const sessions of SIZES) doors.push(await serveFilled(setting, sessions, eventsEach));
    const costs: readonly StoreCost[][] = doors.map(() => []);
    for (let round = -1; round < setting.rounds; round += 1)
      for (const [index, door] of doors.entries()) {
        const cost = await measureStore(setting, door);
        if (round >= 0) costs[index]?.push(cost);
      }
    return toGrowth(costs, eventsEach);
  } finally {
    await Promise.all(doors.map((door) => door.stop()));
  }
}

async function serveFilled(setting: BenchSetting, sessions: number, eventsEach: number): Promise<ServedDoor> {
  const dataDirectory = join(setting.directory, `store-${sessions}`);
  mkdirSync(dataDirectory, { mode: 0o700 });
  if (sessions > 0) {
    const began = performance.now();
    const events = await fillStore(setting, dataDirectory, { sessions, eventsEach });
    const seconds = ((performance.now() - began) / 1000).toFixed(0);
    console.error(`store of ${sessions} sessions and ${events} events: made in ${seconds} s`);
  }
  return await serveCaret({ ...setting, dataDirectory, keepWarm: false });
}

async function measureStore(setting: BenchSetting, door: ServedDoor): Promise<StoreCost> {
  const firstToken = await firstTokenMs(setting, door, { dialogues: shortDialogues(TURNS) });
  const list = await timeGets(setting, door, `/api/sessions?limit=${LISTED}`, LISTS);
  return { firstToken, list: median(list) };
}

function toGrowth(costs: readonly (readonly StoreCost[])[], eventsEach: number): Growth {
  const largest = SIZES.at(-1) ?? 0;
  const store = `${largest.toLocaleString("en")} sessions, ${(largest * eventsEach).toLocaleString("en")} events`;
  const series = (id: string, what: string, key: keyof StoreCost): Series => ({
    id,
    what,
    sizeName: "sessions",
    sizes: SIZES,
    scale: "powers",
    unit: "ms",
    rounds: { caret: costs.map((each) => each.map((cost) => cost[key])) },
  });
  const figure = (what: string, key: keyof StoreCost): Figure => ({
    what: `${what}, store of ${store}`,
    unit: "ms",
    rounds: {
      "empty store": costs[0]?.map((cost) => cost[key]) ?? [],
      caret: costs.at(-1)?.map((cost) => cost[key]) ?? [],
    },
    floor: "empty store",
    bar: { of: "ratio", most: 1.3 },
  });
  return {
    series: [
      series("store", "first token by the size of the store", "firstToken"),
      series("list", `list of ${LISTED} sessions by the size of the store`, "list"),
    ],
    figures: [figure("first token", "firstToken"), figure(`list of ${LISTED} sessions`, "list")],
  };
}
