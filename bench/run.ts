import { parseArgs } from "node:util";
import { benchApi } from "./api.ts";
import type { BenchOutcome } from "./bench-outcome.ts";
import { hasPassed, toTable } from "./bench-report.ts";
import { benchDecode } from "./decode.ts";
import { benchDoors, benchWarm, type DoorsOptions } from "./doors.ts";
import { benchPage } from "./page.ts";

/** Each benchmark by the name it is asked for. */
const benches: Readonly<Record<string, (options: DoorsOptions) => BenchOutcome | Promise<BenchOutcome>>> = {
  api: benchApi,
  decode: () => {
    const report = benchDecode();
    return { passed: hasPassed(report), table: toTable(report), report };
  },
  doors: benchDoors,
  page: benchPage,
  warm: benchWarm,
};

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: "boolean" },
    quick: { type: "boolean", default: false },
    // Of `doors` and `page`: the measurements to make, several times if need be.
    only: { type: "string", multiple: true, default: [] },
  },
});
const unknown = positionals.filter((name) => !Object.hasOwn(benches, name));

if (unknown.length > 0) {
  console.error(`There is no benchmark ${unknown.join(", ")}; there is: ${Object.keys(benches).join(", ")}`);
  process.exitCode = 2;
} else await run(positionals.length > 0 ? positionals : ["decode", "doors"]);

async function run(names: readonly string[]): Promise<void> {
  for (const name of names) {
    const outcome = await benches[name]?.(values);
    if (outcome === undefined) continue;
    const { passed, table, report } = outcome;
    console.log(values.json === true ? JSON.stringify({ ...report, passed }) : table);
    if (!passed) process.exitCode = 1;
  }
}
