import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { CaretError } from "@caret/protocol";
import { chooseLane } from "../choose-lane.ts";
import type { Config } from "../config/config-schema.ts";
import type { Host } from "../host.ts";
import { probeOf } from "../lane-probe.ts";
import { answers } from "../serve/find-gateway.ts";
import { readLockFile } from "../serve/gateway-lock.ts";
import { unboundTools } from "../unbound-tools.ts";
import { isTurnRunning, type ProbeHosts } from "./probe-hosts.ts";

/** What a check found, and what to type against it. */
export interface Finding {
  readonly check: string;
  readonly state: "ok" | "warn" | "fail";
  readonly detail: string;
  readonly fix?: string;
}

export interface DoctorWork {
  readonly host: Host;
  readonly config: Config;
  readonly hosts: ProbeHosts;
}

const OLDEST_NODE = [22, 18] as const;

export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const isNewEnough = major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
  if (isNewEnough) return { check: "node", state: "ok", detail: version };
  const needed = OLDEST_NODE.join(".");
  return { check: "node", state: "fail", detail: `${version}; Caret needs ${needed}`, fix: "npm install node@24" };
}

/** Ours, writable, and closed to others. One that does not exist yet must be possible to make. */
export function checkDataDirectory(dataDir: string, uid: number | undefined): Finding {
  const check = "data directory";
  const stat = statSync(dataDir, { throwIfNoEntry: false });
  const directory = stat === undefined ? nearestExisting(dataDir) : dataDir;
  try {
    accessSync(directory, constants.W_OK | constants.X_OK);
  } catch {
    return { check, state: "fail", detail: `${directory} cannot be written`, fix: `chmod u+rwx ${directory}` };
  }
  if (stat === undefined) return { check, state: "ok", detail: `${dataDir} will be created` };
  if (!stat.isDirectory())
    return { check, state: "fail", detail: `${dataDir} is not a directory`, fix: `rm ${dataDir}` };
  if (uid !== undefined && (stat.mode & 0o077) !== 0)
    return { check, state: "warn", detail: `${dataDir} is open to other users`, fix: `chmod 700 ${dataDir}` };
  return { check, state: "ok", detail: dataDir };
}

/** Nothing when the rules forbid nothing, or bind every tool. */
export function checkRules(config: Config): readonly Finding[] {
  const fix = "Set tools.owner to gateway, so that the gateway runs the tools";
  return unboundTools(config).map((detail) => ({ check: "rules", state: "warn", detail, fix }));
}

function nearestExisting(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestExisting(dirname(path));
}

/** Without the CLI turns are simulated; whether that is a fault depends on what was asked for. */
export async function checkCli({ config, hosts: { cli } }: DoctorWork): Promise<Finding> {
  try {
    const launch = await cli.resolveLaunch(config.cli.command);
    const version = await cli.versions.find(launch, cli.environment(await cli.resolveProfile("default")));
    const detail = `${launch.file}, version ${version ?? "unknown"}`;
    if (version !== undefined) return { check: "agent CLI", state: "ok", detail };
    return { check: "agent CLI", state: "warn", detail, fix: `${launch.file} --version` };
  } catch (reason) {
    const { message, fix } = CaretError.from(reason);
    return {
      check: "agent CLI",
      state: config.lane === "cli" || config.lane === "acp" ? "fail" : "warn",
      detail: message,
      fix,
    };
  }
}

/** By a real call: the output of `status` does not prove a login. */
export async function checkLogin({ config, hosts }: DoctorWork): Promise<Finding> {
  const check = "login";
  const { lane } = await chooseLane(config, hosts.cli);
  if (lane === "sim") return { check, state: "ok", detail: "the simulator needs none" };
  if (lane !== "api" && (await isTurnRunning(config)))
    return { check, state: "warn", detail: "not tried while a turn runs", fix: "caret doctor" };
  try {
    const models = await probeOf(lane, hosts, hosts.api).listModels();
    return { check, state: "ok", detail: `${lane === "api" ? "Cursor" : "the agent"} lists ${models.length} models` };
  } catch (reason) {
    const { message, fix } = CaretError.from(reason);
    return { check, state: "fail", detail: message, fix };
  }
}

export async function checkSimulator({ hosts: { sim } }: DoctorWork): Promise<Finding> {
  const launch = await sim.resolveLaunch(undefined);
  const version = await sim.versions.find(launch, sim.environment(await sim.resolveProfile("default")));
  if (version !== undefined) return { check: "simulator", state: "ok", detail: `ready, version ${version}` };
  return { check: "simulator", state: "fail", detail: "it does not start", fix: "npm install" };
}

export async function checkLane({ config, hosts }: DoctorWork): Promise<Finding> {
  const { lane, autoLanes } = await chooseLane(config, hosts.cli);
  const chosen = config.lane === "auto" ? `auto means ${autoLanes.join(" or ")}` : lane;
  if (lane === "api")
    return { check: "lane", state: "warn", detail: "api, which is unofficial", fix: "caret serve --lane cli" };
  if (lane === "cli" || lane === "acp" || config.lane === "sim") return { check: "lane", state: "ok", detail: chosen };
  return {
    check: "lane",
    state: "warn",
    detail: `${chosen}: turns are only simulated`,
    fix: "Install Cursor's agent CLI, or set `cli.command` to where it is.",
  };
}

export async function checkContainment({ config, hosts }: DoctorWork): Promise<Finding> {
  const check = "containment";
  if (config.containment === "off")
    return { check, state: "warn", detail: "switched off", fix: "Set `containment` to auto." };
  const found = await hosts.containment();
  if (found.kind === "bubblewrap") return { check, state: "ok", detail: found.file };
  const state = config.containment === "require" ? "fail" : "warn";
  return { check, state, detail: found.why, fix: "Install bubblewrap, and allow it user namespaces." };
}

export async function checkGateway({ host, config }: DoctorWork): Promise<Finding> {
  const check = "gateway";
  const lock = readLockFile(config.dataDir, host.uid);
  if (lock === undefined) return { check, state: "ok", detail: "none runs" };
  if (await answers(lock, fetch)) return { check, state: "ok", detail: `${lock.url}, version ${lock.version}` };
  return { check, state: "warn", detail: `${lock.url} does not answer`, fix: "caret serve" };
}
