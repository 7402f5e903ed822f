import { Command, CommanderError } from "commander";
import { addGlobalOptions, type GlobalOptions, listModels } from "../config/global-options.ts";
import { createSimulation, type Simulation } from "../config/simulation.ts";
import { drain } from "../process/byte-writer.ts";
import { CliFailure } from "../process/cli-failure.ts";
import type { Host } from "../process/host.ts";
import { addCommands } from "./commands.ts";
import { runPrint } from "./run-print.ts";

const noScreen = "The simulator has no interactive screen. Run it with --print, or through a pipe.";

/** The whole program: reads the command line, does it, and ends the process with the real CLI's exit code. */
export async function runCli(host: Host): Promise<void> {
  host.stdout.on("error", (error: NodeJS.ErrnoException) => {
    // A scenario may have closed it on purpose; otherwise the reader is gone, and there is nowhere to report it.
    if (error.code !== "EBADF") host.exit(1);
  });
  let simulation: Simulation | undefined;
  try {
    simulation = await createSimulation(host);
    if (speaksContract(host)) {
      const { runContract } = await import("../contract/run-contract.ts");
      await runContract(simulation);
    } else {
      await createProgram(simulation).parseAsync([...host.argv], { from: "user" });
    }
    await leave(simulation, host, 0);
  } catch (error) {
    // Stopping has its own exit; errors on the way there are expected.
    if (simulation?.stop.signal.aborted === true) return;
    await leave(simulation, host, report(error, host));
  }
}

async function leave(simulation: Simulation | undefined, host: Host, code: number): Promise<never> {
  simulation?.recordInvocation();
  await Promise.all([drain(host.stdout), drain(host.stderr)]);
  return host.exit(code);
}

function speaksContract({ argv, env }: Host): boolean {
  return env["CARET_SIM_DIALECT"] === "contract" || argv.includes("--contract");
}

function report(error: unknown, host: Host): number {
  if (error instanceof CommanderError) return error.exitCode;
  if (error instanceof CliFailure) {
    host.stderr.write(`${error.message}\n`);
    return error.exitCode;
  }
  host.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  return 1;
}

/** The command line of `agent`, as commander sees it. */
function createProgram(simulation: Simulation): Command {
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
