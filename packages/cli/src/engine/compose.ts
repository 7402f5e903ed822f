import type { ChildProcess } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { CaretError, type LaneName, type Secret } from "@caret/protocol";
import {
  type AcpLane,
  type AgentHost,
  type ApiHost,
  type BridgeHub,
  type Containment,
  childEnvironment,
  createAcpLane,
  createApiLane,
  createCliLane,
  createSecretKeeper,
  createSessionEngine,
  createSpawner,
  interruptRunningTurns,
  type LogStore,
  type MachineSandboxes,
  openBridgeHub,
  openSqliteEventStore,
  probeContainment,
  type Redactor,
  type SessionEngine,
  type SessionEngineOptions,
  type Spawner,
  sweepLeftovers,
} from "@caret/runtime";
import type { Config } from "../config/config-schema.ts";
import { findOnPath } from "../host/find-on-path.ts";
import type { Host } from "../host/host.ts";
import { packageRoot, version } from "../host/program.ts";
import { type WorkspaceAccess, workspaceAccess } from "../workspaces/workspace-access.ts";
import { type AgentHosts, createAgentHosts } from "./agent-hosts.ts";
import { createApiHost } from "./api-host.ts";
import { chooseLane } from "./choose-lane.ts";
import { knownSecrets } from "./known-secrets.ts";
import { type LaneProbe, probeOf } from "./lane-probe.ts";
import { machineSandboxes } from "./machine-sandboxes.ts";
import { toolboxSettings, toolSecrets } from "./toolbox-settings.ts";

/** Droid keeps the first 24 characters of an id; with `call` these make 20. */
const CALL_ID_BYTES = 8;

export interface OpenedEngine {
  readonly engine: SessionEngine;
  /** The registry of agents, in the log's file. */
  readonly agents: LogStore["agents"];
  /** What a person should know about how turns run here: which lane, and why. */
  readonly notes: readonly string[];
  readonly lane: LaneName;
  /** What the API lane's upstream stores with us. */
  readonly upstreamState: ApiHost["conversations"];
  /** Probe of the default lane. */
  readonly probe: LaneProbe;
  /** Whether turns can also take the `acp` lane. */
  readonly hasAcp: () => Promise<boolean>;
  /** The `/` commands that the `acp` lane's agent has announced in a workspace. */
  readonly announcedCommands: AcpLane["announcedCommands"];
  /** Covers every secret known so far. */
  readonly redactor: () => Redactor;
  /** Adds further secrets to the redactor. */
  readonly noteSecrets: (secrets: readonly Secret[]) => void;
  /** Where turns can work. */
  readonly allowedWorkspaces: WorkspaceAccess;
  readonly spawner: Spawner;
  /** How a turn's processes are held together, if at all. */
  readonly containment: Containment;
  readonly sandboxes: MachineSandboxes;
  /** Applies changed live settings. */
  readonly applySettings: (config: Config) => void;
  readonly close: () => Promise<void>;
}

interface OpenEngineOptions extends Partial<Pick<SessionEngineOptions, "maxTurns" | "onTurnEnd" | "tracer">> {
  /** Directories where turns can work if the configuration names none. */
  readonly workspaces: readonly string[];
  /** Only long-lived processes keep agents warm. */
  readonly keepWarm: boolean;
  /** A data directory has one gateway; every other process is its guest. */
  readonly role?: "gateway" | "guest";
  /** Store for what the API lane's upstream keeps with us. Default: in the data directory. */
  readonly upstreamState?: ApiHost["conversations"];
  /** A spawner process that is already booting. */
  readonly spawner?: ChildProcess | undefined;
  /** The log, if it is an external database instead of the embedded one. Closed with the engine. */
  readonly store?: LogStore | undefined;
}

/** The composition root of the engine: the one place that knows every part. */
export async function openEngine(host: Host, config: Config, options: OpenEngineOptions): Promise<OpenedEngine> {
  sweepLeftovers(join(config.dataDir, "processes"));
  const spawner = createSpawner({
    mode: config.spawner.enabled ? "process" : "inline",
    dataDir: config.dataDir,
    // As with warm agents, only a long-lived process benefits.
    seats: options.keepWarm ? config.spawner.seats : 0,
    forked: options.spawner,
  });
  const { store, containment } = await openLogContained(host, config, { ...options, spawner });
  const keeper = createSecretKeeper([...knownSecrets(host, config), ...toolSecrets(config)]);
  const bridge = lazyBridge();
  const warm = options.keepWarm && config.warm.enabled ? config.warm : undefined;
  const sandboxes = machineSandboxes(host, config, spawner);
  const notes = [...(await sandboxes.sweep())];
  const noteSecrets = keeper.add;
  const surroundings = { spawner, containment, sandboxes, warm, openBridge: bridge.open, noteSecrets };
  const hosts = createAgentHosts(host, config, surroundings);
  const { lane, autoLanes, notes: ofLane } = await chooseLane(config, hosts.cli);
  notes.push(...ofLane);
  const api = createApiHost(host, config, { noteSecrets, conversations: options.upstreamState });
  const allowedWorkspaces = workspaceAccess(host, config, options.workspaces);
  const live = { budgets: config.budgets };
  const lanes = createLanes(hosts, api, warm ?? { idleMs: 0, max: 0 });
  const engine = createSessionEngine({
    store,
    lanes: Object.values(lanes),
    defaultLane: lane,
    autoLanes,
    attendedOwner: config.tools.attended,
    redactor: keeper.redactor,
    allowedWorkspaces,
    budgets: () => live.budgets,
    defaults: { model: config.model, mode: config.mode, force: config.cli.force, sandbox: config.sandbox.mode },
    sandboxes,
    startsWhenDurable: options.store !== undefined,
    maxRawBytes: config.limits.rawBytes,
    toolbox: toolboxSettings(host, config, { spawner, containment, outputsDir: tmpdir() }),
    parkedLimitMs: config.clocks.toolMs,
    loops: config.loops,
    maxTurns: options.maxTurns,
    onTurnEnd: options.onTurnEnd,
    tracer: options.tracer,
    newId: randomUUID,
    // Only letters and digits: some clients drop or change everything else.
    newCallId: () => `call${randomBytes(CALL_ID_BYTES).toString("hex")}`,
    wallClock: Date.now,
  });
  const close = async (): Promise<void> => {
    await engine.close();
    await bridge.close();
    await sandboxes.close();
    await spawner.close();
  };
  const probe = probeOf(lane, hosts, () => api);
  const applySettings = ({ budgets }: Config): void => {
    live.budgets = budgets;
  };
  const parts = { engine, lane, notes, applySettings, probe, allowedWorkspaces, spawner, containment, sandboxes };
  const { redactor } = keeper;
  const hasAcp = async () => autoLanes.includes("acp") && (await lanes.acp.isReady?.()) === true;
  const { announcedCommands } = lanes.acp;
  const asked = { hasAcp, announcedCommands };
  return { ...parts, ...asked, redactor, noteSecrets, agents: store.agents, upstreamState: api.conversations, close };
}

function createLanes({ cli, sim }: AgentHosts, api: ApiHost, keep: Pick<Config["warm"], "idleMs" | "max">) {
  return {
    cli: createCliLane({ name: "cli", host: cli }),
    acp: createAcpLane({ host: cli, keep }),
    sim: createCliLane({ name: "sim", host: sim }),
    api: createApiLane(api),
  };
}

/** The log is shared: a gateway is its host, commands are guests. */
export function openLog(config: Config, role: "gateway" | "guest" = "guest"): LogStore {
  return openSqliteEventStore({ directory: config.dataDir, role, rawMaxBytes: config.limits.rawBytes });
}

/** Opens the log while finding out, with a trial process, how processes can be contained. Closes both parts if either fails. */
async function openLogContained(
  host: Host,
  config: Config,
  { spawner, role, ...given }: Pick<OpenEngineOptions, "role" | "store"> & { readonly spawner: Spawner },
): Promise<{ readonly store: LogStore; readonly containment: Containment }> {
  const finding = findContainment(host, config, spawner);
  // Awaited below, unless the log fails first, which is then the error.
  finding.catch(() => undefined);
  let { store } = given;
  try {
    store ??= openLog(config, role);
    await interruptRunningTurns(store);
    return { store, containment: await finding };
  } catch (reason) {
    await spawner.close();
    await store?.close();
    throw reason;
  }
}

async function findContainment(host: Host, config: Config, spawner: Spawner): Promise<Containment> {
  if (config.containment === "off") return { kind: "none", why: "switched off" };
  const file = findOnPath(host, "bwrap");
  const found: Containment =
    file === undefined
      ? { kind: "none", why: "bubblewrap is not installed" }
      : await probeContainment({ spawner, env: childEnvironment({ parent: host.env }), file });
  if (found.kind === "none" && config.containment === "require")
    throw new CaretError("sandbox-unavailable", `Processes cannot be contained here: ${found.why}`);
  return found;
}

export interface LazyBridge {
  readonly open: AgentHost["openBridge"];
  readonly close: () => Promise<void>;
}

/** The socket lives outside the data directory, whose path can exceed the limit for sockets. */
export function lazyBridge(): LazyBridge {
  let hub: Promise<BridgeHub> | undefined;
  const command = {
    file: process.execPath,
    args: [fileURLToPath(new URL("bin/caret.js", packageRoot)), "mcp-bridge"],
  };
  return {
    async open() {
      hub ??= mkdtemp(join(tmpdir(), "caret-")).then((directory) =>
        openBridgeHub({ socketPath: join(directory, "bridge.sock"), version }),
      );
      return { hub: await hub, command };
    },
    async close() {
      if (hub === undefined) return;
      const { socketPath, close } = await hub;
      await close();
      await rm(dirname(socketPath), { recursive: true, force: true });
    },
  };
}
