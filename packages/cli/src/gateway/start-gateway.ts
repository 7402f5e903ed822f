import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import {
  anthropicDoor,
  createMemoryItemStore,
  createMetrics,
  createServer,
  meterDesk,
  modelsDoor,
  openaiDoor,
  type Readiness,
  responsesDoor,
  type TurnDesk,
} from "@caret/gateway";
import { CaretError, type LaneName } from "@caret/protocol";
import {
  createTurnDesk,
  identifyProcess,
  type ModelDirectory,
  openScratchPlaces,
  openSqliteLineageStore,
} from "@caret/runtime";
import { type OpenedEngine, openEngine, scratchRoot } from "../compose.ts";
import type { Config } from "../config/config-schema.ts";
import type { Host } from "../host.ts";
import { version } from "../version.ts";
import { ensureDefaultToken } from "./default-token.ts";
import { createGatewayLog } from "./gateway-log.ts";
import { laneModels } from "./lane-models.ts";
import { removeLockFile, writeLockFile } from "./lock-file.ts";
import { openTokenStore } from "./open-token-store.ts";

const KEEP_ALIVE_MS = 15_000;
/** How many ports after the default one are tried. */
const PORTS_TRIED = 20;

export interface GatewayOptions {
  readonly host: Host;
  readonly config: Config;
  /** The workspace of requests that name none, and the one that is allowed when the configuration names none. */
  readonly workspace: string | undefined;
  /** Only a port that nobody asked for may be another one than was said. */
  readonly mayMovePort: boolean;
}

export interface RunningGateway {
  readonly url: string;
  readonly token: string | undefined;
  readonly lane: LaneName;
  readonly lanes: readonly LaneName[];
  readonly notes: readonly string[];
  /** Lets running answers finish for a while, then ends everything. */
  close(): Promise<void>;
}

/** Put a gateway together and let it listen. */
export async function startGateway(options: GatewayOptions): Promise<RunningGateway> {
  const { host, config, workspace } = options;
  const opened = await openEngine(host, config, {
    workspaces: workspace === undefined ? [] : [workspace],
    keepWarm: true,
    role: "gateway",
  });
  const log = createGatewayLog(host, config, opened.redactor);
  const onError = ({ code, message, upstream }: CaretError): void => log.error({ code, upstream }, message);
  const tokenFile = await ensureDefaultToken(config.dataDir);
  const tokens = openTokenStore({ dataDir: config.dataDir, onError });
  const { directory: models } = laneModels({
    ...opened,
    config,
    isBusy: () => opened.engine.runningTurns().length > 0,
    onError,
  });
  // While turns run nobody may ask the agent for its models, so that now is the best time. Whoever needs the list and
  // does not get it is told why.
  void models.list().catch(() => undefined);
  const desk = createTurnDesk({
    engine: opened.engine,
    lineage: openSqliteLineageStore({ directory: config.dataDir }),
    scratch: openScratchPlaces({ root: scratchRoot(config), newId: randomUUID, now: Date.now }),
    resolveModel: models.resolve,
    defaultWorkspace: config.workspaces.default ?? workspace,
    toolsOwner: config.tools.owner ?? host.env["CURSOR_ACP_TOOL_LOOP_MODE"],
    maxTurns: config.server.maxTurns,
    now: Date.now,
    onError,
  });
  const lanes = lanesOf(opened);
  const metrics = createMetrics();
  const metered = meterDesk(desk, metrics);
  const app = createServer({
    doors: doorsOf(metered, models, config),
    tokens,
    hosts: config.server.hosts,
    origins: config.server.origins,
    limits: { maxTurns: config.server.maxTurns, maxTurnsPerToken: config.server.maxTurns },
    readiness: async () => readiness(opened),
    metrics,
    version,
    newId: randomUUID,
    log,
  });
  const url = await listen(app, options);
  const { pid, startTime } = identifyProcess(process.pid);
  writeLockFile(config.dataDir, { url, pid, startTime: startTime ?? null, version, tokenFile: tokenFile ?? null });
  return {
    url,
    token: tokenFile === undefined ? undefined : readFileSync(tokenFile, "utf8").trim(),
    lane: opened.lane,
    lanes,
    notes: opened.notes,
    async close() {
      await app.close();
      removeLockFile(config.dataDir, host.uid, pid);
      await desk.close();
      await opened.close();
      tokens.close();
    },
  };
}

function doorsOf(desk: TurnDesk, models: ModelDirectory, { server }: Config) {
  const door = { desk, now: Date.now, newId: randomUUID, showActivity: server.activity, keepAliveMs: KEEP_ALIVE_MS };
  return [
    openaiDoor(door),
    responsesDoor({ ...door, items: createMemoryItemStore() }),
    anthropicDoor(door),
    modelsDoor({ models }),
  ];
}

type App = ReturnType<typeof createServer>;

/** The port that was asked for, or the next free one when nobody asked for this very port. */
async function listen(app: App, { config, mayMovePort }: GatewayOptions): Promise<string> {
  const { host, port: first } = config.server;
  const last = mayMovePort && first !== 0 ? first + PORTS_TRIED : first;
  for (let port = first; ; port += 1) {
    try {
      await app.listen({ host, port });
      const address = app.server.address() as AddressInfo;
      return `http://${host.includes(":") ? `[${host}]` : host}:${address.port}`;
    } catch (reason) {
      if (!isTaken(reason) || port >= last) throw cannotListen(`${host}:${port}`, reason);
    }
  }
}

function isTaken(reason: unknown): boolean {
  return (reason as NodeJS.ErrnoException).code === "EADDRINUSE";
}

function cannotListen(address: string, cause: unknown): CaretError {
  const fix = isTaken(cause)
    ? "Choose another port with `--port`, or 0 for any that is free."
    : "Choose an address of this machine.";
  return new CaretError("invalid-request", `Cannot listen on ${address}`, { cause, fix });
}

function lanesOf({ lane }: OpenedEngine): readonly LaneName[] {
  return lane === "sim" ? ["sim"] : [lane, "sim"];
}

function readiness(opened: OpenedEngine): Readiness {
  const lanes = lanesOf(opened).map((lane) => {
    if (lane === "sim") return { lane, ready: true, simulated: true, detail: "the built-in simulator, not Cursor" };
    try {
      opened.agentHost.resolveLaunch(opened.agentHost.programs.command);
      return { lane, ready: true, simulated: false };
    } catch (reason) {
      return { lane, ready: false, simulated: false, detail: CaretError.from(reason).message };
    }
  });
  return { version, lanes };
}
