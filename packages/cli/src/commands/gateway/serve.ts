import type { ChildProcess } from "node:child_process";
import { resolve } from "node:path";
import { CaretError } from "@caret/protocol";
import { isAlive } from "@caret/runtime";
import type { Command } from "commander";
import { addConfigFlags, loadHostConfig } from "../../config/config-flags.ts";
import { type FoundGateway, findGateway } from "../../gateway/find-gateway.ts";
import type { GatewayLock } from "../../gateway/gateway-lock.ts";
import { withKeptPort } from "../../gateway/kept-port.ts";
import { type ExitCode, exitCodes, type Host } from "../../host/host.ts";
import { version } from "../../host/program.ts";
import { askForLink, tokenOf } from "../../serve/ask-for-link.ts";
import { holdGateway, withoutHolders } from "../../serve/gateway-holders.ts";
import { differencesFrom, type GatewaySettings, gatewaySettings } from "../../serve/gateway-settings.ts";
import { type RunningGateway, startGateway } from "../../serve/start-gateway.ts";
import { untilUnlocked } from "../../serve/until-unlocked.ts";
import { closed, endOfInput, interruption } from "../../terminal/interruption.ts";
import { write } from "../../terminal/print.ts";
import { cleanLine } from "../../terminal/text-cleaner.ts";
import { readyLines } from "./ready-lines.ts";

interface ServeOptions extends Readonly<Record<string, unknown>> {
  readonly host?: string;
  readonly port?: string;
  readonly workspace?: string;
  readonly json?: boolean;
  readonly untilStdinEnds?: boolean;
}

/** The port where OpenCode's older plugin looks for a gateway to share. */
const OPEN_CURSOR_PORT = "32124";
/** How long turns may run on after SIGTERM: service managers send SIGKILL soon after. A second signal stops at once. */
const TERMINATION_MS = 10_000;

export function addServeCommand(
  program: Command,
  host: Host,
  done: (code: ExitCode) => void,
  spawner: ChildProcess | undefined,
): void {
  const command = program
    .command("serve")
    .description("serve Cursor's agent to OpenAI, Anthropic and other clients")
    .option("--host <address>", "the address to listen on (127.0.0.1)")
    .option("--port <number>", "the port to listen on (4141, then the one it had last)")
    .option("--lane <name>", "how turns reach an agent: auto, cli or sim")
    .option("--workspace <directory>", "directory for requests that name none (default: a new, empty one each)")
    .option("--data-dir <directory>", "where everything of Caret's is kept")
    .option("--store <address>", "a fleet's database, whose workers run the turns; better set by CARET_STORE")
    .option("--json", "print one line of JSON when ready, and nothing else")
    .option("--until-stdin-ends", "stop with the program that started it, which holds standard input open");
  addConfigFlags(command).action(async (options: ServeOptions) => done(await serve(host, options, spawner)));
}

async function serve(host: Host, options: ServeOptions, spawner: ChildProcess | undefined): Promise<ExitCode> {
  const { loaded, isAsked } = settings(host, options);
  const { config, files } = loaded;
  const workspace = options.workspace === undefined ? undefined : resolve(host.cwd, options.workspace);
  const wanted = gatewaySettings(loaded, workspace);
  const isHeld = options.untilStdinEnds === true;
  // A program that starts the gateway reads the address from its first line, so any port will do if the usual one is taken.
  const keepsPort = !isHeld || isAsked("server.port");
  const asked = { host, config, loaded, configFiles: files, workspace, keepsPort, settings: wanted };
  let found: FoundGateway | undefined;
  let booting = spawner;
  const attempt = async (): Promise<ExitCode> => {
    found = await findGateway({ dataDir: config.dataDir, uid: host.uid, version, env: host.env, isAlive });
    if (found.kind === "reuse") {
      const sharing = { wanted, isAsked, json: options.json === true };
      return await (isHeld
        ? holding(host, config.dataDir, found.gateway, sharing)
        : share(host, found.gateway, sharing));
    }
    if (found.gateway !== undefined) throw cannotShare(found.gateway, found.why);
    const start = startGateway({ ...asked, spawner: booting });
    booting = undefined; // a gateway that fails to start ends it
    return await run(host, await start, config.dataDir, options);
  };
  // A gateway that a program starts for itself can meet another program's that is just ending.
  return await untilUnlocked(attempt, () => isHeld && (found?.kind === "reuse" || found?.gateway === undefined));
}

/** Runs until a signal, or until the program that started it and every other one using it have ended. */
async function run(host: Host, gateway: RunningGateway, dataDir: string, options: ServeOptions): Promise<ExitCode> {
  // Installed before it reports ready: a signal may follow at once.
  const interrupted = interruption(host);
  void write(host.stdout, options.json === true ? readyJson(gateway, process.pid) : readyLines(host, gateway));
  const over = new AbortController();
  const unused = async (): Promise<"SIGTERM"> => {
    await endOfInput(host);
    await withoutHolders(dataDir, gateway, over.signal);
    return "SIGTERM";
  };
  const signal = await Promise.race([interrupted, ...(options.untilStdinEnds === true ? [unused()] : [])]);
  over.abort();
  const limitMs = signal === "SIGTERM" ? TERMINATION_MS : Number.POSITIVE_INFINITY;
  const onWait = async (titles: readonly string[]): Promise<void> => {
    if (options.json !== true) await write(host.stderr, waitingLines(titles, limitMs));
  };
  return await closed(host, gateway.close({ limitMs, onWait }));
}

/** Uses a gateway that already runs and keeps it from ending before this process. */
async function holding(host: Host, dataDir: string, gateway: GatewayLock, sharing: Wanted): Promise<ExitCode> {
  const release = holdGateway(dataDir, host.uid, gateway.pid);
  if (release === undefined) throw new CaretError("storage-locked", `The gateway at ${gateway.url} is ending`);
  try {
    const code = await share(host, gateway, sharing);
    await Promise.race([endOfInput(host), interruption(host)]);
    return code;
  } finally {
    release();
  }
}

/** It may be of another version, say: its turns go on, and its log may have another schema. */
function cannotShare({ url, pid }: GatewayLock, why: string): CaretError {
  return new CaretError(
    "storage-locked",
    `A gateway has this data directory, at ${url} (process ${pid}), and it cannot be shared: ${why}`,
    { fix: `Stop it first: \`kill -INT ${pid}\` lets its turns end. Then start this one.` },
  );
}

interface Wanted {
  readonly wanted: GatewaySettings;
  /** Whether a flag, a variable or a file sets it. */
  readonly isAsked: (key: string) => boolean;
  readonly json: boolean;
}

/** A gateway already runs. Fails if it differs in an explicitly given setting; lists other differences. */
async function share(host: Host, gateway: GatewayLock, { wanted, isAsked, json }: Wanted): Promise<ExitCode> {
  const { url, pid } = gateway;
  const differences = differencesFrom(gateway, wanted);
  const refused = differences.filter(({ key }) => isAsked(key)).map(({ text }) => text);
  if (refused.length > 0)
    throw new CaretError(
      "invalid-request",
      `A gateway runs already at ${url} (process ${pid}), with other settings: ${refused.join("; ")}`,
      { fix: `Use it as it is, or stop it and start again. \`${host.command} link\` signs a browser in at it.` },
    );
  if (json) {
    await write(host.stdout, readyJson({ url, token: tokenOf(gateway), lanes: [] }, pid));
    return exitCodes.completed;
  }
  // The address is useful even without a link.
  const link = await askForLink(gateway).catch(() => undefined);
  const lines = [
    `A gateway runs already at ${url} (process ${pid}).`,
    ...(link === undefined ? [] : [`  Web page  ${link.url}   (signs one browser in, within 10 minutes)`]),
    ...differences.map(({ text }) => `  ${text}`),
    "",
  ];
  await write(host.stdout, lines.join("\n"));
  return exitCodes.completed;
}

function waitingLines(titles: readonly string[], limitMs: number): string {
  const turns = titles.length === 1 ? "1 turn" : `${titles.length} turns`;
  const limit = Number.isFinite(limitMs) ? `, for at most ${limitMs / 1000} s` : "";
  const head = `Waiting for ${turns} to end${limit}; press Ctrl-C again to stop at once:`;
  return ["", head, ...titles.map((title) => `  ${cleanLine(title)}`), ""].join("\n");
}

function settings(host: Host, options: ServeOptions) {
  const isOpenCursorUser = host.env["CURSOR_ACP_REUSE_EXISTING_PROXY"] !== undefined;
  const port = options.port ?? (isOpenCursorUser ? OPEN_CURSOR_PORT : undefined);
  const flags = {
    ...options,
    ...(options.host === undefined ? {} : { serverHost: options.host }),
    ...(port === undefined ? {} : { serverPort: port }),
  };
  const loaded = inOwnFlags(() => withKeptPort(loadHostConfig(host, flags)));
  const isAsked = (key: string): boolean => {
    if (key === "workspace") return options.workspace !== undefined;
    if (key === "server.port" && isOpenCursorUser && options.port === undefined) return false;
    return (loaded.sources[key]?.kind ?? "default") !== "default";
  };
  return { loaded, isAsked };
}

/** Makes errors name the flag as typed: `--port`, not `--server-port`. */
function inOwnFlags<Loaded>(load: () => Loaded): Loaded {
  try {
    return load();
  } catch (reason) {
    const { code, message, fix } = CaretError.from(reason);
    throw new CaretError(code, message.replaceAll(/--server-(port|host)\b/g, "--$1"), { fix, cause: reason });
  }
}

function readyJson({ url, token, lanes }: Pick<RunningGateway, "url" | "token" | "lanes">, pid: number): string {
  return `${JSON.stringify({ event: "ready", url, token: token ?? null, pid, version, lanes })}\n`;
}
