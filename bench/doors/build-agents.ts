import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export interface BuiltAgents {
  /** The agent that costs next to nothing; `agents/stand-in.c` says how it is told what to do. */
  readonly agent: string;
  /** The native client that is the floor below every server. */
  readonly direct: string;
}

/** Compile both with the machine's own C compiler. Throws when there is none. */
export function buildAgents(directory: string): BuiltAgents {
  return { agent: compile("stand-in", directory), direct: compile("direct", directory) };
}

function compile(name: string, directory: string): string {
  const program = join(directory, name);
  const source = fileURLToPath(new URL(`../agents/${name}.c`, import.meta.url));
  execFileSync("cc", ["-O2", "-o", program, source], { stdio: ["ignore", "ignore", "inherit"] });
  return program;
}
