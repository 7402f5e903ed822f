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
  // The directories of our packages lie side by side, in a checkout and in what npm installs; this file is a source or part of a
  // bundle, of this package or of another, and in each case two levels below.
  const entry = new URL(`../../simulator/bin/${name}.js`, import.meta.url);
  return { file: process.execPath, args: [fileURLToPath(entry)] };
}
