import { CaretError } from "@caret/protocol";
import { Command, CommanderError } from "commander";
import { addDecodeCommand } from "./commands/decode.ts";
import { type ExitCode, exitCodes, type Host } from "./host.ts";
import { version } from "./version.ts";
import { write } from "./write.ts";

/** Run one `caret` command. Never rejects: whatever goes wrong is said on standard error and told by the exit code. */
export async function runCaret(host: Host): Promise<ExitCode> {
  let code: ExitCode = exitCodes.completed;
  const program = createProgram(host, (result) => {
    code = result;
  });
  try {
    await program.parseAsync(host.argv, { from: "user" });
    return code;
  } catch (reason) {
    if (reason instanceof CommanderError) return reason.exitCode === 0 ? exitCodes.completed : exitCodes.usage;
    return complain(host, CaretError.from(reason));
  }
}

function createProgram(host: Host, done: (code: ExitCode) => void): Command {
  const program = new Command("caret")
    .description("Cursor's coding agent behind every door.")
    .version(version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void host.stdout.write(text),
      writeErr: (text) => void host.stderr.write(text),
    })
    .showHelpAfterError("(add --help for what there is)");
  addDecodeCommand(program, host, done);
  return program;
}

const usageCodes: ReadonlySet<string> = new Set(["invalid-request", "invalid-config"]);

async function complain(host: Host, error: CaretError): Promise<ExitCode> {
  const upstream = error.upstream === undefined ? "" : `  ${error.upstream.trim().replaceAll("\n", "\n  ")}\n`;
  await write(host.stderr, `caret: ${error.message} [${error.code}]\n${upstream}  ${error.fix}\n`);
  return usageCodes.has(error.code) ? exitCodes.usage : exitCodes.failed;
}
