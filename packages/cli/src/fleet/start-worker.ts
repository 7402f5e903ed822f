import type { CaretError } from "@caret/protocol";
import { openEngine } from "../compose.ts";
import type { Config } from "../config/config-schema.ts";
import type { Host } from "../host.ts";
import { version } from "../program.ts";
import { laneModels, lanesOf } from "../serve/gateway-lanes.ts";
import { createGatewayLog } from "../serve/gateway-log.ts";
import { openTurnPorts } from "../serve/gateway-ports.ts";
import { openTelemetry } from "../serve/open-telemetry.ts";
import { isOwnDirectory } from "../workspaces/workspace-access.ts";
import { type OpenedFleet, openFleet } from "./open-fleet.ts";

interface StartWorkerOptions {
  readonly host: Host;
  readonly config: Config;
  /** The directory that turns may work in when the settings name none. */
  readonly workspaces: readonly string[];
}

export interface StartedWorker {
  readonly machine: string;
  readonly lane: string;
  readonly notes: readonly string[];
  /** Takes no more work, waits until what runs has ended or the limit has passed, then leaves. */
  close(limitMs: number): Promise<void>;
}

/** Compose a worker: fleet → log → engine → ports → queue. */
export async function startWorker(options: StartWorkerOptions): Promise<StartedWorker> {
  const report: Report = {};
  const onError = (error: CaretError): void => report.log?.(error);
  const fleet = await openFleet(options.config, { role: "worker", onError });
  return await startIn(options, fleet, report).catch(async (reason: unknown) => {
    // What listens and renews would keep a process that does no work.
    await fleet.close();
    throw reason;
  });
}

interface Report {
  log?: (error: CaretError) => void;
}

async function startIn(
  { host, config, workspaces }: StartWorkerOptions,
  fleet: OpenedFleet,
  report: Report,
): Promise<StartedWorker> {
  const onError = (error: CaretError): void => report.log?.(error);
  const fleetParts = await import("@caret/fleet");
  const { createLeasedEngine, createPostgresConversationStore, createTurnPublisher, runWorker } = fleetParts;
  const { seat, store } = fleet;
  // Sessions of the API lane go to any machine, and what their upstream keeps with us goes with them.
  const upstreamState = createPostgresConversationStore({ database: seat.database, onError });
  // A worker has no `/metrics`: that traces are not delivered is in its log.
  const tracing = await openTelemetry(config, { service: "caret-worker", onDropped: () => undefined, onError });
  const tracer = tracing?.tracer;
  const inner = await openEngine(host, config, { workspaces, keepWarm: true, store, upstreamState, tracer });
  const log = createGatewayLog(host, config, inner.redactor);
  report.log = ({ code, message, upstream }) => log.error({ code, upstream }, message);
  const onTurn = createTurnPublisher({ ...seat, store, onError });
  const engine = createLeasedEngine({ engine: inner.engine, leases: seat.leases, onTurn });
  const opened = { ...inner, engine };
  const isBusy = (): boolean => engine.runningTurns().length > 0;
  const { directory: models } = laneModels({ ...opened, config, isBusy, onError });
  const defaultWorkspace = config.workspaces.default;
  const shared = openShared(fleetParts, seat, onError);
  const ports = openTurnPorts({ host, config, opened, models, defaultWorkspace, ...shared, onError }, {});
  const about = async () => ({
    lanes: lanesOf(opened),
    defaultLane: opened.lane,
    models: await opened.probe.listModels().catch(() => []),
    workspaces: opened.allowedWorkspaces.directories().filter((directory) => !isOwnDirectory(config, directory)),
  });
  const listed = await about();
  const closeParts = async (): Promise<void> => {
    await ports.sessions.close();
    await ports.conversations.close();
    await shared.lineage.close();
    ports.answers.close();
    await inner.close();
    await tracing?.close();
  };
  const worker = await runWorker({
    ...ports,
    seat,
    store,
    engine,
    tracer,
    version,
    capacity: config.fleet.capacity,
    lane: opened.lane,
    redact: (text) => inner.redactor().redactText(text),
    about: async () => listed,
    onError,
  }).catch(async (reason: unknown) => {
    await closeParts();
    throw reason;
  });
  return {
    machine: seat.machine,
    lane: opened.lane,
    notes: opened.notes,
    async close(limitMs) {
      const limit = Number.isFinite(limitMs)
        ? new Promise((resolve) => setTimeout(resolve, limitMs).unref())
        : undefined;
      await Promise.race([worker.drain(), ...(limit === undefined ? [] : [limit])]);
      await worker.close();
      await closeParts();
      await fleet.close();
    },
  };
}

/** What conversations of the stateless doors leave in the database: any worker goes on with one whose machine is away. */
function openShared(
  fleet: typeof import("@caret/fleet"),
  seat: OpenedFleet["seat"],
  onError: (error: CaretError) => void,
) {
  const { leases, machine, database } = seat;
  return {
    answers: fleet.createPostgresAnswerArchive({ ...seat, onError }),
    lineage: fleet.createPostgresLineageStore({ database, machine, fenceOf: leases.fenceOf, onError }),
    adopt: fleet.adoptSession.bind(undefined, { database, leases, machine }),
  };
}
