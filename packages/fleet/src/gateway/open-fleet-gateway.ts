import type { Agents, CaretError, Comparisons, Conversations, Sessions } from "@caret/protocol";
import type { AgentsElsewhere, ForeignTicks } from "@caret/runtime";
import { createMembers, type Members } from "../members/members.ts";
import { ANYWHERE, openJobQueue } from "../queue/job-queue.ts";
import { createTurnQueue } from "../queue/turn-queue.ts";
import { createAgentsElsewhere } from "../seat/create-agents-elsewhere.ts";
import { createTicks } from "../seat/create-ticks.ts";
import type { FleetSeat } from "../seat/fleet-seat.ts";
import { createAskWorker } from "./ask-worker.ts";
import { createFleetAgents } from "./fleet-agents.ts";
import { createFleetComparisons } from "./fleet-comparisons.ts";
import { createFleetConversations } from "./fleet-conversations.ts";
import { createFleetSessions } from "./fleet-sessions.ts";
import { createImportedPlaces, type ImportedPlaces } from "./imported-places.ts";
import { openShownTurns, type ShownTurns } from "./shown-turns.ts";

const SEEN_MS = 3_000;

export interface FleetGatewayOptions {
  readonly seat: FleetSeat;
  readonly version: string;
  readonly onError: (error: CaretError) => void;
}

/** The fleet's parts of a gateway. */
export interface FleetGateway {
  readonly members: Members;
  readonly shown: ShownTurns;
  /** Wakes followers of the log after a worker's writes. */
  readonly ticks: ForeignTicks;
  readonly conversations: Conversations;
  /** The native door's port, over one that only reads. */
  sessions(local: Sessions): Sessions;
  /** Chooses the workspace of an imported session. */
  readonly placeImported: ImportedPlaces["place"];
  readonly elsewhere: AgentsElsewhere;
  /** Named agents, over a port that starts no turns. */
  agents(local: Agents): Agents;
  readonly comparisons: Comparisons;
  close(): Promise<void>;
}

export async function openFleetGateway({ seat, version, onError }: FleetGatewayOptions): Promise<FleetGateway> {
  const { database, sealer, listener, notifier, owner, machine } = seat;
  const jobs = await openJobQueue({ database, isWorker: false, onError });
  await jobs.open(ANYWHERE).catch(async (reason: unknown) => {
    await jobs.close();
    throw reason;
  });
  const turns = createTurnQueue({ database, jobs, sealer, owner, home: ANYWHERE, now: Date.now });
  const members = createMembers(database);
  const shown = openShownTurns({ database, listener, sealer, onError });
  const ask = createAskWorker({ database, sealer, listener, notifier, members, owner });
  const imports = createImportedPlaces({ members, ask });
  const common = { database, turns, sealer, listener, notifier, members, ask };
  const beSeen = async (): Promise<void> => {
    await members.note({ id: owner, role: "gateway", machine, version, about: {}, isLeaving: false }).catch(onError);
  };
  await beSeen();
  const seen = setInterval(() => void beSeen(), SEEN_MS);
  return {
    members,
    shown,
    ticks: createTicks(seat),
    conversations: createFleetConversations({ ...common, owner, onError }),
    sessions: (local) => createFleetSessions({ ...common, local, shown, imports }),
    placeImported: imports.place,
    elsewhere: createAgentsElsewhere(seat),
    comparisons: createFleetComparisons({ ...common, owner, onError }),
    agents: (local) => createFleetAgents({ ...common, local, shown }),
    async close() {
      clearInterval(seen);
      shown.close();
      await members.leave(owner).catch(onError);
      await jobs.close();
    },
  };
}
