/** What one run of `npm run bench fleet` measured, in milliseconds of one core. */
export interface FleetCosts {
  /** Of a gateway, for 1,000 events that a client follows through it. */
  readonly gatewayFollowed: number;
  /** Of a gateway, for 1,000 events that nobody follows there: it hears their hints all the same. */
  readonly gatewayHeard: number;
  /** Of a worker, for 1,000 appends; of the database, with the reads of one follower. */
  readonly workerAppends: number;
  readonly databaseAppends: number;
  /** For one short turn: submit, claim, start, answer, release, and its few events. */
  readonly gatewayTurn: number;
  readonly workerTurn: number;
  readonly databaseTurn: number;
}

/** What is assumed, and not measured. */
export interface LoadAssumptions {
  /** Sessions with a turn that runs, each followed by one client. */
  readonly sessions: number;
  readonly appendsPerSecond: number;
  readonly turnSeconds: number;
  /** A worker's `fleet.capacity`. */
  readonly sessionsPerWorker: number;
  /** How busy a core may be. */
  readonly utilisation: number;
  readonly databaseCores: number;
}

export const assumptions: LoadAssumptions = {
  sessions: 10_000,
  appendsPerSecond: 2,
  turnSeconds: 60,
  sessionsPerWorker: 16,
  utilisation: 0.7,
  databaseCores: 64,
};

export interface ResourceLoad {
  readonly name: string;
  /** Cores that the sessions take of all of it. */
  readonly cores: number;
  /** The most sessions that it carries, however many gateways and workers there are. Infinity: more of them carry more. */
  readonly mostSessions: number;
}

export interface LoadModel {
  readonly appendsPerSecond: number;
  readonly turnsPerSecond: number;
  readonly workers: number;
  /** Undefined: no number of gateways is enough, since hearing the hints alone is too much for one core. */
  readonly gateways: number | undefined;
  readonly resources: readonly ResourceLoad[];
  /** The resource with the lowest limit. */
  readonly bottleneck: ResourceLoad;
}

const MS_PER_SECOND = 1_000;

export function modelLoad(costs: FleetCosts, assumed: LoadAssumptions): LoadModel {
  const { sessions, utilisation, databaseCores } = assumed;
  const appends = sessions * assumed.appendsPerSecond;
  const turns = sessions / assumed.turnSeconds;
  /** Cores of something that costs so much for 1,000 appends, and so much for a turn. */
  const cores = (perThousand: number, perTurn: number): number =>
    ((appends / 1_000) * perThousand + turns * perTurn) / MS_PER_SECOND;
  const heard = cores(costs.gatewayHeard, 0);
  const served = cores(Math.max(0, costs.gatewayFollowed - costs.gatewayHeard), costs.gatewayTurn);
  const database = cores(costs.databaseAppends, costs.databaseTurn);
  const worker = cores(costs.workerAppends, costs.workerTurn);
  // A gateway is one process on one core: what is left of it after all hints serves its own clients.
  const left = utilisation - heard;
  const gateways = left > 0 ? Math.ceil(served / left) : undefined;
  const resources: readonly ResourceLoad[] = [
    { name: "hints, heard by each gateway", cores: heard, mostSessions: (sessions * utilisation) / heard },
    {
      name: `the database, ${databaseCores} cores`,
      cores: database,
      mostSessions: (sessions * utilisation * databaseCores) / database,
    },
    { name: "gateways, serving clients", cores: served, mostSessions: Number.POSITIVE_INFINITY },
    { name: "workers, without agents", cores: worker, mostSessions: Number.POSITIVE_INFINITY },
  ];
  const bottleneck = resources.reduce((lowest, each) => (each.mostSessions < lowest.mostSessions ? each : lowest));
  const workers = Math.ceil(sessions / assumed.sessionsPerWorker);
  return { appendsPerSecond: appends, turnsPerSecond: turns, workers, gateways, resources, bottleneck };
}
