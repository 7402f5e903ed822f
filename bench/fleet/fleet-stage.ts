import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type GatewayProcess, startGateway } from "../../tests/clients/gateway-process.ts";
import { FleetHome, type WorkerProcess } from "../../tests/fleet/fleet-home.ts";
import { processTree, readProc } from "../doors/process-tree.ts";
import { countCpuOf } from "../doors/server-cost.ts";

/** A database whose commits reach the disk, a gateway and a worker of a fleet, and a gateway by itself beside them. */
export interface FleetStage {
  readonly fleet: FleetHome;
  readonly gateway: GatewayProcess;
  readonly worker: WorkerProcess;
  /** Embedded: SQLite, and agents of its own. */
  readonly local: GatewayProcess;
  close(): Promise<void>;
}

export async function openFleetStage(): Promise<FleetStage> {
  const fleet = await FleetHome.open(undefined, { fsync: true });
  try {
    const worker = await fleet.worker("worker", { CARET_FLEET_MACHINE: "one" });
    const gateway = await fleet.gateway("gateway");
    const local = await startGateway(fleet.home, {
      env: { CARET_WORKSPACES_ALLOW: JSON.stringify([fleet.home.workspace]) },
    });
    const close = async (): Promise<void> => {
      await local.stop();
      await fleet.remove();
    };
    return { fleet, worker, gateway, local, close };
  } catch (reason) {
    await fleet.remove();
    throw reason;
  }
}

/** Starts to count the processor time of a gateway or worker, its agents left out; gives milliseconds. */
export function countOwnCpu(pid: number): () => number {
  const isAgent = (each: number): boolean => readProc(`${each}/environ`).includes("CARET_PROCESS_ID=");
  return countCpuOf(() => processTree(pid).flatMap(({ pid: each }) => (isAgent(each) ? [] : [each])));
}

/** Of the database server with all its connections. */
export function countDatabaseCpu({ url }: FleetHome): () => number {
  const directory = new URL(url).searchParams.get("host") ?? "";
  const [pid = ""] = readFileSync(join(directory, "data", "postmaster.pid"), "utf8").split("\n");
  return countCpuOf(() => processTree(Number(pid)).map((each) => each.pid));
}
