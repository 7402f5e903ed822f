import { Command, CommanderError } from "commander";
import { exampleHelp } from "./commands/command-examples.ts";
import { commands } from "./commands/index.ts";
import { type ExitCode, exitCodes, type Host } from "./host/host.ts";
import { version } from "./host/program.ts";
import { complain } from "./terminal/complain.ts";

/** Runs one `caret` command. Never rejects: errors go to standard error and the exit code. */
export async function runCaret(host: Host): Promise<ExitCode> {
  let code: ExitCode = exitCodes.completed;
  try {
    if (host.argv.length === 0 && host.stdin.isTTY === true && host.stdout.isTTY === true) return await guide(host);
    const program = await createProgram(host, (result) => {
      code = result;
    });
    // Bare `caret` in a pipe asks for help, which is not a mistake.
    await program.parseAsync(host.argv.length === 0 ? ["--help"] : host.argv, { from: "user" });
    return code;
  } catch (reason) {
    if (reason instanceof CommanderError) return reason.exitCode === 0 ? exitCodes.completed : exitCodes.usage;
    return complain(host, reason);
  }
}

/** Shows a person who types only `caret` the state of this machine and the next step. */
async function guide(host: Host): Promise<ExitCode> {
  const { firstRun } = await import("./commands/first-run.ts");
  return await firstRun(host, (argv) => runCaret({ ...host, argv }));
}

async function createProgram(host: Host, done: (code: ExitCode) => void): Promise<Command> {
  const program = new Command("caret")
    .description("Cursor's coding agent behind every door.")
    .version(version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void host.stdout.write(text),
      writeErr: (text) => void host.stderr.write(text),
      // The same prefix for Commander's errors and ours.
      outputError: (text, write) => write(text.replace(/^error: /, "caret: ")),
    })
    .showHelpAfterError("Run it with --help to see the options.");
  const name = host.argv.find((word) => !word.startsWith("-")) ?? "";
  const named = commands.get(name);
  if (named === undefined) listCommands(program);
  else (await named.load())(program, host, done);
  const own = exampleHelp(name, host.command);
  if (own !== undefined) program.commands[0]?.addHelpText("after", own);
  return program.helpCommand(false).addHelpText("after", examples(host.command));
}

function examples(command: string): string {
  return [
    "",
    "Examples:",
    `  ${command} serve                        the gateway and its web page`,
    `  ${command} run "Explain this project"   one turn in the current directory`,
    `  ${command} <command> --help             the options of a command`,
  ].join("\n");
}

/** The help of `caret` itself: one line per command, without loading any. */
function listCommands(program: Command): void {
  program.configureHelp({ subcommandTerm: (command) => `${command.name()} ${command.usage()}`.trimEnd() });
  for (const [name, { group, usage, summary }] of commands)
    program.commandsGroup(group).command(name).usage(usage).description(summary);
}
