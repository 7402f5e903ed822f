import { fileURLToPath } from "node:url";

/** How to start the simulator with the Node that runs now; the CLI's own arguments follow `args`. */
export function simulatorCommand(): { readonly file: string; readonly args: readonly string[] } {
  // By the package and not by this file, which may be part of a bundle elsewhere.
  const entry = new URL("bin/caret-sim-agent.js", import.meta.resolve("@caret/simulator/package.json"));
  return { file: process.execPath, args: [fileURLToPath(entry)] };
}
