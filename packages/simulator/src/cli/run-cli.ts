import { CommanderError } from "commander";
import { drain } from "../output/drain.ts";
import { CliFailure } from "./cli-failure.ts";
import { createProgram } from "./create-program.ts";
import type { Host } from "./host.ts";
import { createSimulation, type Simulation } from "./simulation.ts";

/** The whole program: reads the command line, does it, and ends the process with the real CLI's exit code. */
export async function runCli(host: Host): Promise<void> {
  host.stdout.on("error", (error: NodeJS.ErrnoException) => {
    // A scenario may have closed it on purpose; otherwise nobody reads any more, and there is no one left to tell.
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
    // Stopping has its own exit; what breaks on the way there is no news.
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
