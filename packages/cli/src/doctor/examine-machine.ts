import type { Config } from "../config/config-schema.ts";
import { openLog } from "../engine/compose.ts";
import { gatewayUrl } from "../gateway/gateway-url.ts";
import type { Host } from "../host/host.ts";
import { checkClients } from "./client-checks.ts";
import { checkCredentials } from "./credential-checks.ts";
import {
  checkCli,
  checkContainment,
  checkDataDirectory,
  checkGateway,
  checkLane,
  checkLogin,
  checkNode,
  checkRules,
  checkSimulator,
  type DoctorWork,
} from "./doctor-checks.ts";
import { checkDrift } from "./drift-check.ts";
import { checkDisk, checkEventLog, checkPrivateFiles, checkWorkspaces } from "./file-checks.ts";
import type { Finding } from "./finding.ts";
import { checkDefaultModel, checkKeptModels } from "./model-checks.ts";
import { openProbeHosts } from "./probe-hosts.ts";
import { checkReceipts } from "./receipt-checks.ts";
import { checkSandbox } from "./sandbox-checks.ts";
import { checkWebhook } from "./webhook-check.ts";

/** The doctor's findings given a valid configuration, which was read from `files`. */
export async function examineMachine(
  host: Host,
  config: Config,
  files: readonly string[],
): Promise<readonly Finding[]> {
  const detail = files.length === 0 ? "the defaults" : files.join(", ");
  const data = checkDataDirectory(config.dataDir, host.uid);
  const first: readonly Finding[] = [
    checkNode(process.versions.node),
    { check: "configuration", state: "ok", detail },
    ...checkRules(config),
    ...checkWebhook(config),
    data,
    ...checkPrivateFiles(config.dataDir, host.uid),
    ...checkDisk(config.dataDir),
  ];
  const log = data.state === "fail" ? [] : await checkEventLog(config);
  if (data.state === "fail" || log.length > 0) return [...first, ...log];
  const hosts = openProbeHosts(host, config);
  try {
    return [...first, ...(await checkAgents({ host, config, hosts }))];
  } finally {
    await hosts.close();
  }
}

/** Sequential: two agents starting at the same moment have been seen to kill each other. */
async function checkAgents(work: DoctorWork): Promise<readonly Finding[]> {
  const { host, config } = work;
  const cli = await checkCli(work);
  const { finding, lane, ids } = await checkLogin(work);
  const login = [
    finding,
    ...checkCredentials(host, config),
    ...checkKeptModels(config, lane),
    ...checkDefaultModel(config, ids),
  ];
  const simulator = await checkSimulator(work);
  const around = [await checkContainment(work), await checkSandbox(work.hosts.sandboxes, config)];
  const url = gatewayUrl(host, config);
  const installed = { host, dataDir: config.dataDir, gatewayUrl: url };
  const clients = onceEach([...checkClients(host, { gatewayUrl: url, ids }), ...checkReceipts(installed)]);
  return [
    cli,
    ...login,
    simulator,
    await checkLane(work),
    ...around,
    await checkGateway(work),
    ...checkWorkspaces(config.dataDir),
    ...clients,
    ...(await checkLogDrift(config)),
  ];
}

/** A client's file and its receipt can yield the same finding: each fault is reported once, and hides an "ok" of the same check. */
function onceEach(findings: readonly Finding[]): readonly Finding[] {
  const faults = new Set(findings.filter(({ state }) => state !== "ok").map(({ check }) => check));
  const wanted = findings.filter(({ check, state }) => state !== "ok" || !faults.has(check));
  return [...new Map(wanted.toReversed().map((finding) => [finding.check, finding])).values()].toReversed();
}

async function checkLogDrift(config: Config): Promise<readonly Finding[]> {
  const log = openLog(config);
  try {
    return await checkDrift(log);
  } finally {
    await log.close();
  }
}
