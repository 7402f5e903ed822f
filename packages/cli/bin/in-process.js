import { newestProgram } from "../../simulator/bin/newest-program.js";

const here = (path) => new URL(path, import.meta.url);
const sources = ["cli", "gateway", "protocol", "runtime", "simulator"].map((name) => here(`../../${name}/src/`));

export async function openInProcess(host) {
  const program = newestProgram(here("../build/in-process.js"), here("../src/in-process/open-in-process.ts"), sources);
  return await (await import(program.href)).openInProcess(host);
}
