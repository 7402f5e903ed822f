import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BenchOptions } from "../bench-outcome.ts";
import { assertBuilt } from "./assert-built.ts";
import type { BenchSetting } from "./bench-setting.ts";
import { buildPrograms, builtPlace } from "./build-programs.ts";

/** Make the measurements that were asked for, one after the other, in a directory that is removed in the end. */
export async function runMeasurements<Result>(
  measurements: Readonly<Record<string, (setting: BenchSetting) => Promise<Result>>>,
  { only, rounds, targets, serveArgs }: BenchOptions,
): Promise<readonly Result[]> {
  const names = only.length > 0 ? only : Object.keys(measurements);
  const unknown = names.filter((name) => !Object.hasOwn(measurements, name));
  if (unknown.length > 0)
    throw new Error(`There is no measurement ${unknown.join(", ")}; there is: ${Object.keys(measurements).join(", ")}`);
  assertBuilt();
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "caret-bench-")));
  try {
    const setting: BenchSetting = { directory, rounds, targets, serveArgs, ...buildPrograms(builtPlace) };
    const results: Result[] = [];
    for (const [name, measure] of Object.entries(measurements)) {
      if (!names.includes(name)) continue;
      const began = performance.now();
      results.push(await measure(setting));
      console.error(`${name}: ${((performance.now() - began) / 1000).toFixed(0)} s`);
    }
    return results;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
