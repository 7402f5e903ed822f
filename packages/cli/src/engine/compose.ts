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

/** Droid keeps the first 24 characters of an id: together with `call` these are 20. */
const CALL_ID_BYTES = 8;

export interface OpenedEngine {
  readonly engine: SessionEngine;
  /** The registry of agents, in the log's file. */
  readonly agents: LogStore["agents"];
  /** What a person should know about how turns will run here: which lane, and why. */
  readonly notes: readonly string[];
  readonly lane: LaneName;
  /** What the upstream of the API lane keeps with us. */
  readonly upstreamState: ApiHost["conversations"];
  /** What the default lane says of itself. */
  readonly probe: LaneProbe;
  /** Whether turns may take the `acp` lane besides. */
  readonly hasAcp: () => Promise<boolean>;
  /** The `/` commands that the agent of the `acp` lane has announced in a workspace. */
  readonly announcedCommands: AcpLane["announcedCommands"];
  /** Knows every secret that is known by now. */
  readonly redactor: () => Redactor;
  /** Adds secrets that the redactor does not know yet. */
  readonly noteSecrets: (secrets: readonly Secret[]) => void;
  /** Where turns may work. */
  readonly allowedWorkspaces: WorkspaceAccess;
  readonly spawner: Spawner;
  /** What holds the processes of a turn together, if anything does. */
  readonly containment: Containment;
  readonly sandboxes: MachineSandboxes;
  /** Puts changed settings in force, those that count at once. */
  readonly applySettings: (config: Config) => void;
  readonly close: () => Promise<void>;
}

interface OpenEngineOptions extends Partial<Pick<SessionEngineOptions, "maxTurns" | "onTurnEnd" | "tracer">> {
  /** Directories turns may work in when the configuration names none. */
  readonly workspaces: readonly string[];
  /** Agents are only kept warm by a process that stays. */
  readonly keepWarm: boolean;
  /** There is one gateway for a data directory; everything else is a guest in it. */
  readonly role?: "gateway" | "guest";
  /** What the upstream of the API lane keeps with us; absent: in the data directory. */
  readonly upstreamState?: ApiHost["conversations"];
  /** A spawner process that boots already. */
  readonly spawner?: ChildProcess | undefined;
  /** The log, where it is not the embedded one but a database elsewhere. It is closed with the engine. */
  readonly store?: LogStore | undefined;
}

/** The one place that knows every part: puts the engine together from the configuration. */
export async function openEngine(host: Host, config: Config, options: OpenEngineOptions): Promise<OpenedEngine> {
  sweepLeftovers(join(config.dataDir, "processes"));
  const spawner = createSpawner({
    mode: config.spawner.enabled ? "process" : "inline",
    dataDir: config.dataDir,
    // As for agents that are kept warm: only a process that stays has a use for them.
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
    // Letters and digits alone: some clients drop or change everything else.
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

/** The log is shared: commands are its guests, while a gateway is its host. */
export function openLog(config: Config, role: "gateway" | "guest" = "guest"): LogStore {
  return openSqliteEventStore({ directory: config.dataDir, role, rawMaxBytes: config.limits.rawBytes });
}

/** The log, and what can contain processes here: that is tried with one, while the log is opened. Closes both parts if either fails. */
async function openLogContained(
  host: Host,
  config: Config,
  { spawner, role, ...given }: Pick<OpenEngineOptions, "role" | "store"> & { readonly spawner: Spawner },
): Promise<{ readonly store: LogStore; readonly containment: Containment }> {
  const finding = findContainment(host, config, spawner);
  // It is waited for below, unless the log fails first: that is then the error.
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

/** The socket lives outside the data directory, whose path may be longer than a socket's may be. */
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
