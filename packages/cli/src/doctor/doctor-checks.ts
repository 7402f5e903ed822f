import { accessSync, chmodSync, constants, existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { CaretError, type LaneName } from "@caret/protocol";
import { findPortHolder, isAlive } from "@caret/runtime";
import type { Config } from "../config/config-schema.ts";
import { chooseLane } from "../engine/choose-lane.ts";
import { probeOf } from "../engine/lane-probe.ts";
import { unboundTools } from "../engine/unbound-tools.ts";
import { answers } from "../gateway/find-gateway.ts";
import { lockFilePath, readLockFile, removeLockFile } from "../gateway/gateway-lock.ts";
import type { Host } from "../host/host.ts";
import { version } from "../host/program.ts";
import type { Finding } from "./finding.ts";
import { keptModelIds } from "./model-checks.ts";
import { isTurnRunning, type ProbeHosts } from "./probe-hosts.ts";

export interface DoctorWork {
  readonly host: Host;
  readonly config: Config;
  readonly hosts: ProbeHosts;
}

/** The first release of each line whose SQLite cannot damage the event log, as in `engines`; all later lines have one. */
const oldestNodes: Readonly<Record<number, readonly [minor: number, patch: number]>> = {
  22: [22, 3],
  24: [15, 0],
  25: [9, 0],
};
const FIRST_GOOD_LINE = 26;

export function checkNode(version: string): Finding {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  const oldest = oldestNodes[major];
  const isNewEnough =
    oldest === undefined ? major >= FIRST_GOOD_LINE : minor > oldest[0] || (minor === oldest[0] && patch >= oldest[1]);
  if (isNewEnough) return { check: "node", state: "ok", detail: version };
  const detail = `${version}; Caret needs 22.22.3, 24.15 or newer`;
  return { check: "node", state: "fail", detail, fix: "npm install node@24" };
}

/** The directory must be ours, writable, and closed to others; if missing, it must be possible to create. */
export function checkDataDirectory(dataDir: string, uid: number | undefined): Finding {
  const check = "data directory";
  const stat = statSync(dataDir, { throwIfNoEntry: false });
  if (stat?.isDirectory() === false)
    return { check, state: "fail", detail: `${dataDir} is not a directory`, fix: `rm ${dataDir}` };
  const directory = stat === undefined ? nearestExisting(dataDir) : dataDir;
  try {
    accessSync(directory, constants.W_OK | constants.X_OK);
  } catch {
    return { check, state: "fail", detail: `${directory} cannot be written`, fix: `chmod u+rwx ${directory}` };
  }
  if (stat === undefined) return { check, state: "ok", detail: `${dataDir} will be created` };
  if (uid !== undefined && (stat.mode & 0o077) !== 0)
    return {
      check,
      state: "warn",
      detail: `${dataDir} is open to other users`,
      fix: `chmod 700 ${dataDir}`,
      mend: () => chmodSync(dataDir, 0o700),
    };
  return { check, state: "ok", detail: dataDir };
}

/** Empty if the rules forbid nothing or apply to every tool. */
export function checkRules(config: Config): readonly Finding[] {
  const fix = "Set tools.owner to gateway, so that the gateway runs the tools";
  return unboundTools(config).map((detail) => ({ check: "rules", state: "warn", detail, fix }));
}

function nearestExisting(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestExisting(dirname(path));
}

/** Without the CLI turns are simulated; whether that is a failure depends on the settings. */
export async function checkCli({ config, hosts: { cli } }: DoctorWork): Promise<Finding> {
  try {
    const launch = await cli.resolveLaunch(config.cli.command);
    const version = await cli.versions.find(launch, cli.environment(await cli.resolveProfile("default")));
    const detail = `${launch.file}, version ${version ?? "unknown"}`;
    if (version !== undefined) return { check: "agent CLI", state: "ok", detail };
    if (!mayRun(launch.file))
      return {
        check: "agent CLI",
        state: "fail",
        detail: `${launch.file} may not be executed`,
        fix: `chmod u+x ${launch.file}`,
      };
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

function mayRun(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false; // the expected answer
  }
}

/** A login check, with the models listed as proof, or else the cached ones. */
export interface LoginCheck {
  readonly finding: Finding;
  readonly lane: LaneName;
  readonly ids: readonly string[] | undefined;
}

/** Makes a real call: the output of `status` does not prove a login. */
export async function checkLogin({ config, hosts }: DoctorWork): Promise<LoginCheck> {
  const check = "login";
  const { lane } = await chooseLane(config, hosts.cli);
  const kept = { lane, ids: keptModelIds(config, lane) };
  if (lane === "sim") return { ...kept, finding: { check, state: "ok", detail: "the simulator needs none" } };
  if (lane !== "api" && (await isTurnRunning(config)))
    return { ...kept, finding: { check, state: "warn", detail: "not tried while a turn runs", fix: "caret doctor" } };
  try {
    const ids = (await probeOf(lane, hosts, hosts.api).listModels()).map(({ id }) => id);
    const detail = `${lane === "api" ? "Cursor" : "the agent"} lists ${ids.length} models`;
    return { lane, ids, finding: { check, state: "ok", detail } };
  } catch (reason) {
    const { message, fix } = CaretError.from(reason);
    return { ...kept, finding: { check, state: "fail", detail: message, fix } };
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
  const file = lockFilePath(config.dataDir);
  const lock = readLockFile(config.dataDir, host.uid);
  if (lock === undefined && existsSync(file))
    return {
      check,
      state: "warn",
      detail: `${file} is damaged, or others may write it, so no command uses the gateway it names`,
      fix: "Stop the gateway, then run `caret serve`.",
    };
  if (lock === undefined) return await checkPort(config);
  const { url, pid, startTime, version: running } = lock;
  if (startTime !== null && !isAlive({ pid, startTime }))
    return {
      check,
      state: "warn",
      detail: `the gateway at ${url} has ended without cleaning up`,
      fix: `rm ${file}`,
      // Another gateway may have started since.
      mend: () => removeLockFile(config.dataDir, host.uid, pid),
    };
  if (!(await answers(lock, fetch)))
    return { check, state: "warn", detail: `${url} does not answer`, fix: "caret serve" };
  if (running === version) return { check, state: "ok", detail: `${url}, version ${running}` };
  return {
    check,
    state: "warn",
    detail: `${url} is of version ${running}, and this is ${version}`,
    fix: "Stop the gateway, then run `caret serve`.",
  };
}

/** If no gateway runs, none can start while another program has its port. */
async function checkPort({ server: { host, port } }: Config): Promise<Finding> {
  const check = "gateway";
  const holder = port === 0 ? undefined : await findPortHolder(port);
  if (holder === undefined) return { check, state: "ok", detail: "none runs" };
  return {
    check,
    state: "warn",
    detail: `none runs, and process ${holder.pid} (${holder.command}) listens on ${host}:${port}`,
    fix: "Stop it, or choose another port with `caret serve --port`, and install clients again.",
  };
}
