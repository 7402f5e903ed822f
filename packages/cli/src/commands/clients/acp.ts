import { Readable, Writable } from "node:stream";
import type { CaretError, LaneName, PermissionWord } from "@caret/protocol";
import { permissionWords } from "@caret/protocol";
import { type Command, Option } from "commander";
import { addConfigFlags, loadHostConfig } from "../../config/config-flags.ts";
import { type ExitCode, exitCodes, type Host } from "../../host/host.ts";
import { version } from "../../host/program.ts";
import { openOwnGateway } from "../../in-process/own-gateway.ts";
import { type ConnectOptions, connectGateway } from "../../serve/connect-gateway.ts";
import { write } from "../../terminal/print.ts";
import { cleanLine } from "../../terminal/text-cleaner.ts";

interface AcpOptions extends Readonly<Record<string, unknown>> {
  readonly lane?: LaneName | "auto";
  readonly model?: string;
  readonly permission?: PermissionWord;
  readonly allow: boolean;
}

export function addAcpCommand(program: Command, host: Host, done: (code: ExitCode) => void): void {
  const command = program
    .command("acp")
    .description("an agent for editors that speak ACP, on standard input and output")
    .addOption(
      new Option("--lane <name>", "how turns of new sessions reach an agent").choices([
        "auto",
        "cli",
        "acp",
        "api",
        "sim",
      ]),
    )
    .option("-m, --model <name>", "the model of new sessions")
    .addOption(new Option("--permission <word>", "how much new sessions do without asking").choices(permissionWords))
    .option(
      "--no-allow",
      "refuse workspaces that are not allowed yet, instead of allowing what the editor opens until the gateway ends",
    );
  addConfigFlags(command).action(async (options: AcpOptions) => done(await acp(host, options)));
}

async function acp(host: Host, options: AcpOptions): Promise<ExitCode> {
  // Standard output carries only the protocol.
  const note = (text: string): void => void write(host.stderr, `caret: ${cleanLine(text)}\n`);
  const onError = ({ message, code }: CaretError): void => note(`${message} [${code}]`);
  const start: ConnectOptions["start"] = (_host, { config, files: configFiles }, { why }) => {
    note(`turns run in this process: ${why}`);
    return openOwnGateway({ host, config, configFiles, why, onNote: note, onError });
  };
  const connection = await connectGateway(host, loadHostConfig(host, options), { start });
  try {
    if (connection.startedBecause === undefined) note(`sessions are those of the gateway at ${connection.url}`);
    // Loaded late: the protocol's library takes as long to load as the rest of the command.
    const { serveAcp } = await import("@caret/gateway/acp");
    const { closed, close } = serveAcp({
      caret: connection.client,
      input: Readable.toWeb(host.stdin) as ReadableStream<Uint8Array>,
      output: Writable.toWeb(host.stdout) as WritableStream<Uint8Array>,
      version,
      command: host.command,
      newSession: newSessionOf(options),
      allowsWorkspaces: options.allow,
      onAllowed: (workspace) =>
        note(
          `turns may work in ${workspace} until the gateway ends; \`${host.command} workspaces allow\` keeps a directory`,
        ),
      onError,
    });
    const release = host.onSignal(() => close());
    await closed;
    release();
  } finally {
    await connection.close();
  }
  return exitCodes.completed;
}

function newSessionOf({ lane, model, permission }: AcpOptions) {
  return {
    ...(lane === undefined || lane === "auto" ? {} : { lane }),
    ...(model === undefined ? {} : { model }),
    ...(permission === undefined ? {} : { permission }),
  };
}
