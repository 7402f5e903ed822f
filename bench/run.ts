import { parseArgs } from "node:util";
import { type BenchReport, hasPassed, toTable } from "./bench-report.ts";
import { benchDecode } from "./decode.ts";

/** Each benchmark by the name it is asked for. */
const benches: Readonly<Record<string, () => BenchReport | Promise<BenchReport>>> = { decode: benchDecode };

const { positionals, values } = parseArgs({ allowPositionals: true, options: { json: { type: "boolean" } } });
const unknown = positionals.filter((name) => !Object.hasOwn(benches, name));

if (unknown.length > 0) {
  console.error(`There is no benchmark ${unknown.join(", ")}; there is: ${Object.keys(benches).join(", ")}`);
  process.exitCode = 2;
} else await run(positionals.length > 0 ? positionals : Object.keys(benches));

async function run(names: readonly string[]): Promise<void> {
  for (const name of names) {
    const report = await benches[name]?.();
    if (report === undefined) continue;
    const passed = hasPassed(report);
    console.log(values.json === true ? JSON.stringify({ ...report, passed }) : toTable(report));
    if (!passed) process.exitCode = 1;
  }
}
