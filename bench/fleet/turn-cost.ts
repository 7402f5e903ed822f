import { type Figure, ownFigure } from "../figures/figure.ts";
import { countDatabaseCpu, countOwnCpu, type FleetStage } from "./fleet-stage.ts";
import { costFigures } from "./load-model-page.ts";

const AT_ONCE = 4;

/** What one short turn costs each part of the fleet beside its agent: submit, claim, start, log, answer, release. */
export async function turnCost({ fleet, gateway, worker }: FleetStage, turns: number): Promise<readonly Figure[]> {
  const client = fleet.client(gateway);
  const sessions: string[] = [];
  for (let index = 0; index < AT_ONCE; index += 1)
    sessions.push((await client.createSession({ workspace: fleet.home.workspace, permission: "full" })).id);
  const costs = {
    gateway: countOwnCpu(gateway.pid),
    worker: countOwnCpu(worker.pid),
    database: countDatabaseCpu(fleet),
  };
  let events = 0;
  const runAll = async (id: string): Promise<void> => {
    let after = 0;
    for (let turn = 0; turn < turns / AT_ONCE; turn += 1) {
      const { turnId } = await client.startTurn(id, { prompt: "Say hello" });
      for await (const batch of client.followEvents(id, { after, signal: AbortSignal.timeout(60_000) })) {
        after += batch.length;
        events += batch.length;
        if (batch.some((stored) => stored.event.type === "turn-end" && stored.turnId === turnId)) break;
      }
    }
  };
  await Promise.all(sessions.map(runAll));
  const each = (cpuMs: number): number => cpuMs / turns;
  return [
    ownFigure("events of a turn", "", events / turns),
    ownFigure(costFigures.gatewayTurn, "ms", each(costs.gateway())),
    ownFigure(costFigures.workerTurn, "ms", each(costs.worker())),
    ownFigure(costFigures.databaseTurn, "ms", each(costs.database())),
  ];
}
