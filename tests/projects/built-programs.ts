import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { newestProgram } from "@caret/simulator/newest-program";

const here = (path: string): URL => new URL(`../../${path}`, import.meta.url);
const sourcesOf = (...names: readonly string[]): readonly URL[] => names.map((name) => here(`packages/${name}/src/`));
const programs = [
  {
    bundle: here("packages/cli/build/main.js"),
    source: here("packages/cli/src/main.ts"),
    directories: sourcesOf("cli", "fleet", "gateway", "protocol", "runtime", "simulator"),
  },
  {
    bundle: here("packages/simulator/build/main.js"),
    source: here("packages/simulator/src/main.ts"),
    directories: sourcesOf("simulator"),
  },
];

/** Before the tests that start programs: bundles these again if a source has changed. From sources they take four times the CPU. */
export function setup(): void {
  const isStale = programs.some(
    ({ bundle, source, directories }) => newestProgram(bundle, source, directories) === source,
  );
  if (isStale) execFileSync(process.execPath, [fileURLToPath(here("scripts/build-program.ts"))], { stdio: "inherit" });
}
