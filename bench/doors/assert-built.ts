import { newestProgram } from "@caret/simulator/newest-program";

const here = (path: string): URL => new URL(path, import.meta.url);
const bundle = here("../../packages/cli/build/main.js");
const sources = ["cli", "fleet", "gateway", "protocol", "runtime", "simulator"].map((name) =>
  here(`../../packages/${name}/src/`),
);

/** Throws when `caret` would run its sources, which start several times slower and take more memory than what users get. */
export function assertBuilt(): void {
  const program = newestProgram(bundle, here("../../packages/cli/src/main.ts"), sources);
  if (program.href !== bundle.href)
    throw new Error("The sources are newer than the bundle, and the bundle is what is measured: `npm run build` first");
}
