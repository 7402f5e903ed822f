import { setTimeout as sleep } from "node:timers/promises";
import type { BenchSetting } from "../doors/bench-setting.ts";
import { firstTokenMs, shortDialogues } from "../doors/first-token.ts";
import { listProc, processTree, serverPids } from "../doors/process-tree.ts";
import { type ServedDoor, startCaret, startRawpipe } from "../doors/serve-door.ts";
import { serverMegabytes } from "../doors/server-cost.ts";
import { type Series, slopesOf } from "../figures/series.ts";
import type { Growth } from "./growth.ts";

/** Turns before the first look fill caches and heaps. */
const WARM_UP_TURNS = 1000;
/** After each of them the servers are looked at. */
const BATCHES = 10;
const SETTLE_MS = 2000;

interface Look {
  readonly megabytes: number;
  readonly descriptors: number;
  readonly processes: number;
}

/** Many turns one after the other: what of them stays behind in the server. */
export async function uptime(setting: BenchSetting, isFull: boolean): Promise<Growth> {
  const turns = isFull ? 10_000 : 1_000;
  const batch = turns / BATCHES;
  const settings = { ...setting, keepWarm: false };
  const doors: ServedDoor[] = [];
  const looks: Readonly<Record<string, Look[]>> = { rawpipe: [], caret: [] };
  try {
    doors.push(await startRawpipe(settings).ready);
    doors.push(await startCaret(settings).ready);
    for (let count = 0; count <= BATCHES; count += 1)
      for (const door of doors) {
        const dialogues = shortDialogues(count === 0 ? WARM_UP_TURNS : batch);
        await firstTokenMs(setting, door, { dialogues, ms: 0 });
        await sleep(SETTLE_MS);
        looks[door.name]?.push(lookAt(setting, door));
      }
    return toGrowth(looks, turns);
  } finally {
    await Promise.all(doors.map((door) => door.stop()));
  }
}

function lookAt({ agent }: BenchSetting, { pid = 0 }: ServedDoor): Look {
  const pids = serverPids(pid, agent);
  return {
    megabytes: serverMegabytes(pid, agent),
    descriptors: pids.reduce((sum, each) => sum + listProc(`${each}/fd`).length, 0),
    processes: processTree(pid).length,
  };
}

function toGrowth(looks: Readonly<Record<string, readonly Look[]>>, turns: number): Growth {
  const grown = (name: string, key: keyof Look): number => {
    const values = looks[name]?.map((look) => look[key]) ?? [];
    return (values.at(-1) ?? Number.NaN) - (values[0] ?? Number.NaN);
  };
  const of = `${turns.toLocaleString("en")} turns`;
  const memory: Series = {
    id: "uptime",
    what: "memory by the number of turns",
    sizeName: "turns",
    sizes: Array.from({ length: BATCHES + 1 }, (_, index) => WARM_UP_TURNS + (index * turns) / BATCHES),
    scale: "even",
    unit: "MB",
    rounds: Object.fromEntries(
      Object.entries(looks).map(([name, each]) => [name, each.map(({ megabytes }) => [megabytes])]),
    ),
  };
  const more = grown("caret", "megabytes") - grown("rawpipe", "megabytes");
  return {
    series: [memory],
    figures: [
      { what: `memory, for each 1,000 turns of ${of}`, unit: "MB", rounds: slopesOf(memory, 1000), floor: "rawpipe" },
      {
        what: `memory that ${of} leave behind, more than rawpipe's`,
        unit: "MB",
        rounds: { caret: [more] },
        bar: { of: "value", most: 10 },
      },
      {
        what: `descriptors that ${of} leave open`,
        unit: "",
        rounds: { rawpipe: [grown("rawpipe", "descriptors")], caret: [grown("caret", "descriptors")] },
        bar: { of: "value", most: 0 },
      },
      {
        what: `processes that ${of} leave behind`,
        unit: "",
        rounds: { rawpipe: [grown("rawpipe", "processes")], caret: [grown("caret", "processes")] },
        bar: { of: "value", most: 0 },
      },
    ],
  };
}
