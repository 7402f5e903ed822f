import type { ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import {
  createMetrics,
  createServer,
  createSignInLinks,
  createTurnMetrics,
  type Metrics,
  stopTaking,
  type TurnMetrics,
} from "@caret/gateway";
import type { Caller, CaretError, LaneName, Tracer } from "@caret/protocol";
import { identifyProcess, type Tracing, wayInside } from "@caret/runtime";
import type { Config } from "../config/config-schema.ts";
import type { LoadedConfig } from "../config/load-config.ts";
import { type OpenedEngine, openEngine } from "../engine/compose.ts";
import { unboundTools } from "../engine/unbound-tools.ts";
import type { GatewayFleet } from "../fleet/open-gateway-fleet.ts";
import { type GatewayLock, removeLockFile, writeLockFile } from "../gateway/gateway-lock.ts";
import { createGatewayLog } from "../gateway/gateway-log.ts";
import { openGatewayWebhook } from "../gateway/gateway-webhook.ts";
import { listenEverywhere } from "../gateway/listen.ts";
import type { Host } from "../host/host.ts";
import { version } from "../host/program.ts";
import { laneModels, lanesOf } from "../ports/gateway-lanes.ts";
import { openGatewayPorts } from "../ports/gateway-ports.ts";
import { assertDirectoryWritable, readinessOf } from "../ports/readiness.ts";
import { ensureDefaultToken } from "../tokens/default-token.ts";
import { openTokenStore } from "../tokens/open-token-store.ts";
import { isOwnDirectory } from "../workspaces/workspace-access.ts";
import { type FinishTurnsOptions, finishTurns } from "./finish-turns.ts";
import { gatewayDoors } from "./gateway-doors.ts";
import type { GatewaySettings } from "./gateway-settings.ts";
import { endLightStart } from "./light-start.ts";

interface GatewayOptions {
  readonly host: Host;
  readonly config: Config;
  /** The configuration's sources. If absent, the page cannot change it. */
  readonly loaded?: LoadedConfig;
  /** The files the configuration was read from. */
  readonly configFiles: readonly string[];
  /** The workspace of requests that name none. */
  readonly workspace: string | undefined;
  /** Whether clients must find it on the same port next time; if so, a port in use is an error. */
  readonly keepsPort: boolean;
  /** Written to the lock file, for other programs of the same user. */
  readonly settings: GatewaySettings;
  /** A spawner process that is already booting. */
  readonly spawner?: ChildProcess | undefined;
}

/** How to close a gateway. */
interface CloseOptions extends Pick<FinishTurnsOptions, "limitMs" | "onWait"> {}

/** How long open responses can take once the turns have ended. */
const DRAIN_MS = 1_500;

/** The gateway's own user. */
const OWN: Caller = { tokenName: "gateway" };

export interface RunningGateway {
  readonly url: string;
  /** Where turns can work. */
  readonly workspaces: readonly string[];
  readonly token: string | undefined;
  readonly lane: LaneName;
  readonly lanes: readonly LaneName[];
  readonly notes: readonly string[];
  /** A new one-time link that signs a browser in. */
  newLink(): string;
  /** Withdraws the announcement to other programs of the same user; `announce` renews it. */
  withdraw(): void;
  announce(): void;
  /** Accepts no new requests, waits for working turns, then closes everything. */
  close(options: CloseOptions): Promise<void>;
}

/** Composes a gateway and listens: engine → ports → doors → server → lock file. */
export async function startGateway(options: GatewayOptions): Promise<RunningGateway> {
  const { host, config, workspace } = options;
  const metrics = createMetrics();
  const turnMetrics = createTurnMetrics(metrics);
  const report: { log?: (error: CaretError) => void } = {};
  const onError = (error: CaretError): void => report.log?.(error);
  const fleet = await fleetOf(options, metrics, onError);
  const { opened, tracer } = await openGatewayEngine(options, fleet, { metrics, turnMetrics, onError });
  const log = createGatewayLog(host, config, opened.redactor);
  report.log = ({ code, message, upstream }) => log.error({ code, upstream }, message);
  const tokenFile = await ensureDefaultToken(config.dataDir);
  const tokens = openTokenStore({ ...config, fleet: fleet?.tokens, onError });
  const isBusy = (): boolean => opened.engine.runningTurns().length > 0;
  const { directory: models } = laneModels({ ...opened, config, isBusy, onError });
  // The agent cannot be asked for its models while turns run, so ask now. Errors surface when the list is needed.
  void models.list().catch(() => undefined);
  const parts = { ...options, opened, models, defaultWorkspace: config.workspaces.default ?? workspace, onError };
  const ports = fleet?.openPorts(parts) ?? openGatewayPorts(parts);
  void ports.comparisons.sweep?.();
  const links = createSignInLinks({ now: Date.now });
  const app = createServer({
    doors: gatewayDoors({ ...parts, ports, turnMetrics, links, tokens: fleet?.tokens, fleet: fleet?.view }),
    tokens,
    hosts: config.server.hosts,
    origins: config.server.origins,
    limits: { drainMs: DRAIN_MS, stuckReaderMs: config.server.stuckReaderMs },
    readiness: readinessOf(opened, fleet?.assertWritable ?? (() => assertDirectoryWritable(config.dataDir))),
    metrics,
    tracer,
    version,
    command: host.command,
    newId: randomUUID,
    log,
  });
  const closeParts = async (): Promise<void> => {
    await ports.close();
    await opened.close();
    await fleet?.close();
    tokens.close();
  };
  // On failure: agents asked for their models, or waiting for a turn, would keep the process alive.
  const { url, socket } = await listenEverywhere(app, options).catch(afterwards(closeParts));
  endLightStart(app.server);
  // Probed ahead of the first turn that asks, without delaying the start.
  void opened.sandboxes.state();
  const webhook = openGatewayWebhook({ ...parts, sessions: ports.sessions, url: reachable(url) });
  const announcement = announce(options, { url, tokenFile: tokenFile ?? null, socket: socket?.path ?? null });
  return {
    ...announcement,
    url,
    workspaces: opened.allowedWorkspaces.directories().filter((directory) => !isOwnDirectory(config, directory)),
    token: tokenFile && readFileSync(tokenFile, "utf8").trim(),
    lane: opened.lane,
    lanes: lanesOf(opened),
    notes: [...opened.notes, ...unboundTools(config)],
    newLink: () => links.open(reachable(url), OWN).url,
    async close(how) {
      socket?.close();
      // Not awaited before turns are ended: whatever is being started or delivered may wait for the log, or for others.
      const quiet = Promise.all([webhook?.close(), ports.stopTaking()]);
      opened.engine.stopTaking();
      stopTaking(app.server);
      await finishTurns({ ...how, engine: opened.engine });
      const closing = quiet.then(() => app.close().then(announcement.withdraw)).then(closeParts);
      await (fleet?.leave(closing).finally(announcement.withdraw) ?? closing);
    },
  };
}

interface Watching {
  readonly metrics: Metrics;
  readonly turnMetrics: TurnMetrics;
  readonly onError: (error: CaretError) => void;
}

interface GatewayEngine {
  readonly opened: OpenedEngine;
  readonly tracer: Tracer | undefined;
}

async function openGatewayEngine(
  options: GatewayOptions,
  fleet: GatewayFleet | undefined,
  watching: Watching,
): Promise<GatewayEngine> {
  // A fleet's listeners would keep a failed process alive.
  return await openEngineOf(options, fleet, watching).catch(afterwards(async () => await fleet?.close()));
}

async function openEngineOf(
  { host, config, workspace, spawner }: GatewayOptions,
  fleet: GatewayFleet | undefined,
  { metrics, turnMetrics, onError }: Watching,
): Promise<GatewayEngine> {
  const tracing = await openGatewayTelemetry(config, metrics, onError);
  const tracer = tracing?.tracer;
  const opened = await openEngine(host, config, {
    workspaces: defaultWorkspaces(host, workspace),
    // A fleet's gateway runs no turns itself.
    keepWarm: fleet === undefined,
    role: "gateway",
    maxTurns: config.server.maxTurns,
    onTurnEnd: turnMetrics.countEnd,
    tracer,
    spawner,
    store: fleet?.store,
  });
  metrics.gauge("caret_turns_running", "Turns that are running.", () => opened.engine.runningTurns().length);
  const dressed = (await fleet?.dress(opened)) ?? opened;
  const close = async (): Promise<void> => {
    await opened.close();
    await tracing?.close();
  };
  return { opened: { ...dressed, close }, tracer };
}

/** Without tracing, its metrics are not registered and its code is not loaded. */
async function openGatewayTelemetry(
  config: Config,
  metrics: Metrics,
  onError: (error: CaretError) => void,
): Promise<Tracing | undefined> {
  if (config.telemetry.otlp.endpoint === undefined) return undefined;
  const dropped = metrics.counter("caret_spans_dropped_total", "Spans of traces that were not delivered.");
  dropped.add(0);
  const { openTelemetry } = await import("../gateway/open-telemetry.ts");
  return await openTelemetry(config, { service: "caret-gateway", onDropped: dropped.add, onError });
}

function afterwards(close: () => Promise<void>): (reason: unknown) => Promise<never> {
  return (reason) => close().then(() => Promise.reject(reason));
}

/** Loaded only for a fleet: the embedded log needs none of it. */
async function fleetOf(
  { host, config }: GatewayOptions,
  metrics: Metrics,
  onError: (error: CaretError) => void,
): Promise<GatewayFleet | undefined> {
  if (config.store === undefined) return undefined;
  const { openGatewayFleet } = await import("../fleet/open-gateway-fleet.ts");
  const { untilReachable } = await import("../fleet/until-reachable.ts");
  return await untilReachable(host, () => openGatewayFleet(config, metrics, onError));
}

/** Announces the gateway to other programs of the same user. Returns functions to withdraw and to renew the announcement. */
function announce(
  { host, config, settings }: GatewayOptions,
  where: Pick<GatewayLock, "url" | "tokenFile" | "socket">,
): Pick<RunningGateway, "announce" | "withdraw"> {
  const { pid, startTime = null } = identifyProcess(process.pid);
  const write = (): void => writeLockFile(config.dataDir, { ...where, settings, pid, startTime, version });
  write();
  return { announce: write, withdraw: () => removeLockFile(config.dataDir, host.uid, pid) };
}

/**
 * The allowed workspaces if the configuration names none: the given directory, else the working directory. A home directory or a root is
 * not a project: starting there allows nothing.
 */
function defaultWorkspaces({ cwd, home }: Host, workspace: string | undefined): readonly string[] {
  if (workspace !== undefined) return [workspace];
  return wayInside(cwd, home) === undefined ? [cwd] : [];
}

/** A gateway on a wildcard address is reachable at localhost. */
function reachable(url: string): string {
  return url.replace(/\/\/(?:0\.0\.0\.0|\[::\]):/, "//localhost:");
}
