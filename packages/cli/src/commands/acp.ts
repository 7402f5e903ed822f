import { Readable, Writable } from "node:stream";
import type { CaretError, LaneName, PermissionWord } from "@caret/protocol";
import { permissionWords } from "@caret/protocol";
import { isAlive } from "@caret/runtime";
import { type Command, Option } from "commander";
import type { NativeAccess } from "../acp/native-access.ts";
import { openOwnGateway } from "../acp/own-gateway.ts";
import { useRunningGateway } from "../acp/running-gateway.ts";
import { type ExitCode, exitCodes, type Host } from "../host.ts";
import { version } from "../program.ts";
import { findGateway } from "../serve/find-gateway.ts";
import { cleanLine } from "../terminal/text-cleaner.ts";
import { addConfigFlags, loadHostConfig } from "./config-flags.ts";
import { write } from "./print.ts";

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
      new Option("--lane <name>", "how turns of new sessions reach an agent").choices(["auto", "cli", "api", "sim"]),
    )
    .option("-m, --model <name>", "the model of new sessions")
    .addOption(new Option("--permission <word>", "how much new sessions do without asking").choices(permissionWords))
    .option("--no-allow", "refuse workspaces that are not allowed yet, instead of allowing what the editor opens");
  addConfigFlags(command).action(async (options: AcpOptions) => done(await acp(host, options)));
}

async function acp(host: Host, options: AcpOptions): Promise<ExitCode> {
  // Standard output carries the protocol and nothing else.
  const note = (text: string): void => void write(host.stderr, `caret: ${cleanLine(text)}\n`);
  const onError = ({ message, code }: CaretError): void => note(`${message} [${code}]`);
  const access = await reach(host, options, onError, note);
  try {
    for (const text of access.notes) note(text);
    // Not before it is needed: the protocol's library takes as long to load as the rest of the command.
    const { serveAcp } = await import("@caret/gateway/acp");
    const { closed, close } = serveAcp({
      caret: access.caret,
      input: Readable.toWeb(host.stdin) as ReadableStream<Uint8Array>,
      output: Writable.toWeb(host.stdout) as WritableStream<Uint8Array>,
      version,
      command: host.command,
      newSession: newSessionOf(options),
      allowsWorkspaces: options.allow,
      onError,
    });
    const release = host.onSignal(() => close());
    await closed;
    release();
  } finally {
    await access.close();
  }
  return exitCodes.completed;
}

/** A gateway that runs, so that the page shows the same sessions; else the same in this process. */
async function reach(
  host: Host,
  options: AcpOptions,
  onError: (error: CaretError) => void,
  note: (text: string) => void,
): Promise<NativeAccess> {
  const { config, files } = loadHostConfig(host, options);
  const { dataDir } = config;
  const found = await findGateway({ dataDir, uid: host.uid, version, env: host.env, isAlive });
  if (found.kind === "reuse") return useRunningGateway({ dataDir, uid: host.uid, gateway: found.gateway });
  note(`turns run in this process: ${found.why}`);
  return await openOwnGateway({ host, config, configFiles: files, onError });
}

function newSessionOf({ lane, model, permission }: AcpOptions) {
  return {
    ...(lane === undefined || lane === "auto" ? {} : { lane }),
    ...(model === undefined ? {} : { model }),
    ...(permission === undefined ? {} : { permission }),
  };
}
