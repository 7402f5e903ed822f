import { parseArgs } from "node:util";
import type { BenchOptions, BenchOutcome } from "./bench-outcome.ts";
import { hasPassed, toTable } from "./bench-report.ts";
import { benchDecode } from "./decode.ts";
import { targetDoor } from "./doors/target-door.ts";
import { benchDoors } from "./doors.ts";
import { benchPage } from "./page.ts";

/** Each benchmark by the name it is asked for. */
const benches: Readonly<Record<string, (options: BenchOptions) => BenchOutcome | Promise<BenchOutcome>>> = {
  decode: () => {
    const report = benchDecode();
    return { passed: hasPassed(report), table: toTable(report), report, figures: [] };
  },
  doors: benchDoors,
  page: benchPage,
};

const QUICK_ROUNDS = 3;
const ROUNDS = 5;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
    full: { type: "boolean", default: false },
    rounds: { type: "string" },
    // The measurements to make, several times if need be.
    only: { type: "string", multiple: true, default: [] },
    target: { type: "string", multiple: true, default: [] },
    model: { type: "string", default: "auto" },
    "serve-arg": { type: "string", multiple: true, default: [] },
  },
});
const names = positionals.length > 0 ? positionals : ["doors"];
const unknown = names.filter((name) => !Object.hasOwn(benches, name));

if (unknown.length > 0) {
  console.error(`There is no benchmark ${unknown.join(", ")}; there is: ${Object.keys(benches).join(", ")}`);
  process.exitCode = 2;
} else await run();

async function run(): Promise<void> {
  const options: BenchOptions = {
    quick: values.quick,
    full: values.full,
    rounds: Number(values.rounds ?? (values.quick ? QUICK_ROUNDS : ROUNDS)),
    only: values.only,
    targets: values.target.map((word) => targetDoor(word, { model: values.model, env: process.env })),
    serveArgs: values["serve-arg"],
  };
  for (const name of names) {
    const outcome = await benches[name]?.(options);
    if (outcome === undefined) continue;
    const { passed, table, report } = outcome;
    console.log(values.json ? JSON.stringify({ ...report, passed }) : table);
    if (!passed) process.exitCode = 1;
  }
}
