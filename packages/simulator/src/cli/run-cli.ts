import { Command, CommanderError } from "commander";
import { CliFailure } from "./cli-failure.ts";
import { addGlobalOptions, type GlobalOptions } from "./global-options.ts";
import type { Host } from "./host.ts";
import { runPrint } from "./run-print.ts";

/** The whole program: reads the command line, does it, and ends the process with the real CLI's exit code. */
export async function runCli(host: Host): Promise<void> {
  try {
    await createProgram(host).parseAsync([...host.argv], { from: "user" });
    host.exit(0);
  } catch (error) {
    host.exit(report(error, host));
  }
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

function createProgram(host: Host): Command {
  const program = new Command("agent")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => host.stdout.write(text),
      writeErr: (text) => host.stderr.write(text),
    })
    .argument("[prompt...]", "Initial prompt for the agent");
  addGlobalOptions(program);
  program.action((words: readonly string[], options: GlobalOptions) => runPrint({ host, words, options }));
  return program;
}
