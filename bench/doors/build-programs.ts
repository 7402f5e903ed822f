import { execFileSync } from "node:child_process";
import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export interface BuiltPrograms {
  /** The agent that costs next to nothing; `agents/stand-in.c` describes what it can be asked for. */
  readonly agent: string;
  /** The native client that is the floor below every server. */
  readonly direct: string;
  /** The client of many streams. */
  readonly load: string;
}

/** A place that does not change, so that other gateways can be configured to start the agent that lies there. */
export const builtPlace = fileURLToPath(new URL("../build/", import.meta.url));

/** Compile them with the machine's own C compiler where the source is newer. Throws when there is none. */
export function buildPrograms(directory: string): BuiltPrograms {
  mkdirSync(directory, { recursive: true });
  return {
    agent: compile("stand-in", directory),
    direct: compile("direct", directory),
    load: compile("load", directory),
  };
}

function compile(name: string, directory: string): string {
  const program = join(directory, name);
  const source = fileURLToPath(new URL(`../agents/${name}.c`, import.meta.url));
  const built = statSync(program, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (built < statSync(source).mtimeMs)
    execFileSync("cc", ["-O2", "-Wall", "-o", program, source], { stdio: ["ignore", "ignore", "inherit"] });
  return program;
}
