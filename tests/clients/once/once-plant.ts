import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { simulatorCommand } from "@caret/simulator";
import { startUpstream } from "@caret/simulator/upstream";
import { FleetHome } from "../../fleet/fleet-home.ts";
import { GatewayHome } from "../gateway-home.ts";
import { type GatewayProcess, startGateway } from "../gateway-process.ts";
import { type LaneUnderTest, upstreamScenario } from "./once-case.ts";

/** What runs the turns of a lane. */
export interface Plant {
  readonly home: GatewayHome;
  /** A gateway at this port. */
  gateway(port: string): Promise<GatewayProcess>;
  /** Kills the worker; another one takes its place. */
  replaceWorker(): Promise<void>;
  /** How many runs the upstream was asked for, where there is one. */
  runs(): number;
  /** How many of them it still works at: a turn of the native door goes on without its client. */
  openRuns(): number;
  remove(): Promise<void>;
}

export async function openPlant(lane: LaneUnderTest): Promise<Plant> {
  if (lane === "fleet") return await openFleet();
  const home = new GatewayHome();
  if (lane === "api") return await openApi(home);
  const env = { ...agentIn(home), ...modelsOf(lane, home) };
  const args = ["--lane", lane === "acp" || lane === "auto" ? lane : "cli"];
  return {
    ...alone,
    home,
    gateway: (port) => startAlone(home, port, args, env),
    remove: async () => home.remove(),
  };
}

/** A gateway without a worker and without a simulated upstream. */
const alone: Pick<Plant, "replaceWorker" | "runs" | "openRuns"> = {
  replaceWorker: async () => undefined,
  runs: () => 0,
  openRuns: () => 0,
};

async function openApi(home: GatewayHome): Promise<Plant> {
  const upstream = await startUpstream({ scenario: upstreamScenario(join(home.workspace, "ledger")) });
  const env = { ...settings, CURSOR_AGENT_URL: upstream.url, CURSOR_API_KEY: "key_of_a_test" };
  return {
    ...alone,
    home,
    gateway: (port) => startAlone(home, port, ["--lane", "api"], env),
    runs: () => upstream.records.filter(({ path }) => String(path).endsWith("/Run")).length,
    openRuns: () => upstream.openRuns,
    async remove() {
      await upstream.close();
      home.remove();
    },
  };
}

async function openFleet(): Promise<Plant> {
  const fleet = await FleetHome.open();
  const { home } = fleet;
  const env = agentIn(home);
  const startWorker = () => fleet.worker("worker", env, "cli");
  let worker = await startWorker();
  return {
    ...alone,
    home,
    gateway: (port) => startGateway(home, { args: ["--port", port], env: { ...fleet.environment("gateway"), ...env } }),
    async replaceWorker() {
      worker.kill("SIGKILL");
      await worker.exited;
      worker = await startWorker();
    },
    remove: () => fleet.remove(),
  };
}

function startAlone(
  home: GatewayHome,
  port: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<GatewayProcess> {
  return startGateway(home, { args: ["--port", port, "--workspace", home.workspace, ...args], env });
}

/** A model that another one stands in for. */
export const BACKED = "gpt-5.4";

/** With models of its own `auto` has no other lane. */
function modelsOf(lane: LaneUnderTest, { directory }: GatewayHome): Record<string, string> {
  if (lane === "auto") return {};
  const own = { command: join(directory, "agent"), args: ["--contract"] };
  return { CARET_MODELS: JSON.stringify({ own, [BACKED]: { fallbackModels: ["auto"] } }) };
}

/** Nobody is asked for anything. */
const settings = { CARET_CLI_FORCE: "true", CARET_TOOLS_POLICY: "full" } as const;

/** The simulated agent as Cursor's own program. */
function agentIn(home: GatewayHome): Record<string, string> {
  const path = join(home.directory, "agent");
  const { file, args } = simulatorCommand();
  writeFileSync(path, `#!/bin/sh\nexec '${[file, ...args].join("' '")}' "$@"\n`, { mode: 0o755 });
  return { ...settings, CARET_CLI_COMMAND: path };
}
