import { fileURLToPath } from "node:url";

/** How to start a program with the Node that runs now; its own arguments follow `args`. */
export interface ProgramCommand {
  readonly file: string;
  readonly args: readonly string[];
}

/** The stand-in for Cursor's CLI. */
export function simulatorCommand(): ProgramCommand {
  return commandOf("caret-sim-agent");
}

/** The stand-in for Cursor's servers. */
export function upstreamCommand(): ProgramCommand {
  return commandOf("caret-sim-upstream");
}

function commandOf(name: string): ProgramCommand {
  // By the package and not by this file, which may be part of a bundle elsewhere.
  const entry = new URL(`bin/${name}.js`, import.meta.resolve("@caret/simulator/package.json"));
  return { file: process.execPath, args: [fileURLToPath(entry)] };
}
