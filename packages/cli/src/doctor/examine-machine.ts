import type { Config } from "../config/config-schema.ts";
import type { Host } from "../host.ts";
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
  type Finding,
} from "./doctor-checks.ts";
import { openProbeHosts } from "./probe-hosts.ts";
import { checkSandbox } from "./sandbox-checks.ts";

/** What the doctor finds with a configuration that is right. `files` are those it was read from. */
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
    data,
  ];
  if (data.state === "fail") return first;
  const hosts = openProbeHosts(host, config);
  try {
    return [...first, ...(await checkAgents({ host, config, hosts }))];
  } finally {
    await hosts.close();
  }
}

/** Sequentially: two agents that start at the same moment have been seen to kill each other. */
async function checkAgents(work: DoctorWork): Promise<readonly Finding[]> {
  const cli = await checkCli(work);
  const login = await checkLogin(work);
  const simulator = await checkSimulator(work);
  const around = [await checkContainment(work), await checkSandbox(work.hosts.sandboxes, work.config)];
  return [cli, login, simulator, await checkLane(work), ...around, await checkGateway(work)];
}
