import { resolve } from "node:path";
import { createBegunTurns, DEFAULT_CEILING, DEFAULT_WAIT_MS } from "@caret/gateway";
import { serveDispatchOverStdio } from "@caret/gateway/mcp-stdio";
import { type CaretError, type PermissionWord, permissionWords } from "@caret/protocol";
import { wayInside } from "@caret/runtime";
import { type Command, InvalidArgumentError, Option } from "commander";
import { addConfigFlags, loadHostConfig } from "../../config/config-flags.ts";
import { type ExitCode, exitCodes, type Host } from "../../host/host.ts";
import { version } from "../../host/program.ts";
import { connectGateway } from "../../serve/connect-gateway.ts";
import { write } from "../../terminal/print.ts";
import { createStopper } from "../../terminal/stopper.ts";
import { addServerCommands } from "./mcp-servers.ts";

interface McpOptions extends Readonly<Record<string, unknown>> {
  readonly workspace?: string;
  readonly permission: PermissionWord;
  readonly wait: number;
}

export function addMcpCommand(program: Command, host: Host, done: (code: ExitCode) => void): void {
  const command = program
    .command("mcp")
    .description("an MCP server: Claude Code, Codex and other hosts hand work to agents")
    .option("-w, --workspace <dir>", "where agents work when neither call nor host says it (default: the current one)")
    .addOption(
      new Option("--permission <word>", "how much the host may let happen without asking")
        .choices(permissionWords)
        .default(DEFAULT_CEILING),
    )
    .option("--wait <seconds>", "how long a call waits for its turn by default", toSeconds, DEFAULT_WAIT_MS / 1000);
  addServerCommands(command, host, done);
  addConfigFlags(command).action(async (options: McpOptions) => done(await serveHost(host, options)));
}

/** Standard output belongs to the protocol: everything for people goes to standard error. */
async function serveHost(host: Host, options: McpOptions): Promise<ExitCode> {
  const connection = await connectGateway(host, loadHostConfig(host, options));
  const { client, url, startedBecause } = connection;
  if (startedBecause !== undefined)
    await write(host.stderr, `caret: started a gateway at ${url} that ends with this process: ${startedBecause}\n`);
  const stop = new AbortController();
  const stopper = createStopper(host);
  stopper.onStop(() => stop.abort());
  try {
    const onError = (error: CaretError): void => void host.stderr.write(`caret: ${error.message} [${error.code}]\n`);
    const begun = createBegunTurns();
    const dispatch = { client, begun, version, command: host.command, permission: options.permission, onError };
    const settings = { ...dispatch, workspace: fallbackWorkspace(host, options), waitMs: options.wait * 1000 };
    await serveDispatchOverStdio(settings, host, stop.signal);
    return exitCodes.completed;
  } finally {
    stopper.release();
    await connection.close();
  }
}

/** A host starts its servers in its own working directory; a home directory or a root is not a project. */
function fallbackWorkspace({ cwd, home }: Host, { workspace }: McpOptions): string | undefined {
  if (workspace !== undefined) return resolve(cwd, workspace);
  return wayInside(cwd, home) === undefined ? cwd : undefined;
}

function toSeconds(text: string): number {
  if (/^\d{1,4}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("A number of seconds is expected.");
}
