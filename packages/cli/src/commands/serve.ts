import { resolve } from "node:path";
import { isAlive } from "@caret/runtime";
import type { Command } from "commander";
import { findGateway } from "../gateway/find-gateway.ts";
import { type RunningGateway, startGateway } from "../gateway/start-gateway.ts";
import { type ExitCode, exitCodes, type Host } from "../host.ts";
import { version } from "../version.ts";
import { write } from "../write.ts";
import { addConfigFlags, loadHostConfig } from "./config-flags.ts";
import { readyLines } from "./ready-lines.ts";

interface ServeOptions extends Readonly<Record<string, unknown>> {
  readonly host?: string;
  readonly port?: string;
  readonly workspace?: string;
  readonly json?: boolean;
}

/** The port on which OpenCode's older plugin looks for a gateway that it may share. */
const OPEN_CURSOR_PORT = "32124";

export function addServeCommand(program: Command, host: Host, done: (code: ExitCode) => void): void {
  const command = program
    .command("serve")
    .description("serve Cursor's agent to OpenAI, Anthropic and other clients")
    .option("--host <address>", "the address to listen on (127.0.0.1)")
    .option("--port <number>", "the port to listen on (4141, or the next free one)")
    .option("--lane <name>", "how turns reach an agent: auto, cli or sim")
    .option("--workspace <directory>", "where requests work that name no workspace")
    .option("--data-dir <directory>", "where everything of Caret's is kept")
    .option("--json", "print one line of JSON when ready, and nothing else");
  addConfigFlags(command).action(async (options: ServeOptions) => done(await serve(host, options)));
}

async function serve(host: Host, options: ServeOptions): Promise<ExitCode> {
  const { config, files, mayMovePort } = settings(host, options);
  const found = await findGateway({ dataDir: config.dataDir, uid: host.uid, version, env: host.env, isAlive });
  if (found.kind === "reuse") {
    const { url, pid } = found.gateway;
    await write(
      host.stdout,
      options.json === true
        ? readyJson({ url, token: undefined, lanes: [] }, pid)
        : `A gateway runs already at ${url} (process ${pid}).\n`,
    );
    return exitCodes.completed;
  }
  const gateway = await startGateway({
    host,
    config,
    configFiles: files,
    workspace: options.workspace === undefined ? undefined : resolve(host.cwd, options.workspace),
    mayMovePort,
  });
  await write(host.stdout, options.json === true ? readyJson(gateway, process.pid) : readyLines(host, gateway));
  await interruption(host);
  await write(host.stderr, options.json === true ? "" : "\nFinishing what runs; press Ctrl-C again to stop at once.\n");
  await gateway.close();
  return exitCodes.completed;
}

function settings(host: Host, options: ServeOptions) {
  const isOpenCursorUser = host.env["CURSOR_ACP_REUSE_EXISTING_PROXY"] !== undefined;
  const port = options.port ?? (isOpenCursorUser ? OPEN_CURSOR_PORT : undefined);
  const flags = {
    ...options,
    ...(options.host === undefined ? {} : { serverHost: options.host }),
    ...(port === undefined ? {} : { serverPort: port }),
  };
  const { config, files, sources } = loadHostConfig(host, flags);
  const asked = options.port !== undefined || sources["server.port"]?.kind !== "default";
  return { config, files, mayMovePort: !asked || (options.port === undefined && isOpenCursorUser) };
}

function readyJson({ url, token, lanes }: Pick<RunningGateway, "url" | "token" | "lanes">, pid: number): string {
  return `${JSON.stringify({ event: "ready", url, token: token ?? null, pid, version, lanes })}\n`;
}

/** The first signal ends the wait, a second one the process: whoever insists is not made to wait. */
function interruption(host: Host): Promise<void> {
  return new Promise((resolve) => {
    let count = 0;
    host.onSignal(() => {
      count += 1;
      if (count === 1) resolve();
      else process.exit(exitCodes.cancelled);
    });
  });
}
