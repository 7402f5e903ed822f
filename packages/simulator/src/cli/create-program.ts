import { Command } from "commander";
import { CliFailure } from "./cli-failure.ts";
import { addCommands } from "./commands.ts";
import { addGlobalOptions, type GlobalOptions } from "./global-options.ts";
import { listModels } from "./list-models.ts";
import { runPrint } from "./run-print.ts";
import type { Simulation } from "./simulation.ts";

const noScreen = "The simulator has no interactive screen. Run it with --print, or through a pipe.";

/** The command line of `agent`, as commander sees it. */
export function createProgram(simulation: Simulation): Command {
  const { host } = simulation;
  const program = new Command("agent")
    .description("Start the Cursor Agent")
    .version(simulation.version, "-v, --version", "Output the version number")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => host.stdout.write(text),
      writeErr: (text) => host.stderr.write(text),
    })
    .argument("[prompt...]", "Initial prompt for the agent");
  addGlobalOptions(program);
  program.action(async (words: readonly string[], options: GlobalOptions) => {
    if (options.listModels === true) return listModels(simulation, options);
    // As with the real CLI, a pipe on either side means print mode even without the flag.
    const isOnScreen = host.stdout.isTTY === true && host.stdin.isTTY === true;
    if (isOnScreen && options.print !== true) throw new CliFailure(noScreen);
    await runPrint({ simulation, words, options });
  });
  addCommands(program, simulation);
  return program;
}
