import type { LeaseStanding, RunningWorker } from "@caret/fleet";
import type { CaretError } from "@caret/protocol";
import type { Config } from "../config/config-schema.ts";
import { type OpenedEngine, openEngine } from "../engine/compose.ts";
import { createGatewayLog } from "../gateway/gateway-log.ts";
import { openTelemetry } from "../gateway/open-telemetry.ts";
import type { Host } from "../host/host.ts";
import { version } from "../host/program.ts";
import { laneModels, lanesOf } from "../ports/gateway-lanes.ts";
import { openGatewayPorts } from "../ports/gateway-ports.ts";
import { isOwnDirectory } from "../workspaces/workspace-access.ts";
import { LEAVE_MS, leaveInTime } from "./leave-in-time.ts";
import { type OpenedFleet, openFleet } from "./open-fleet.ts";
import { serveWorkerMetrics } from "./serve-worker-metrics.ts";
import { openWorkerFigures, type WorkerFigures } from "./worker-figures.ts";

interface StartWorkerOptions {
  readonly host: Host;
  readonly config: Config;
  /** Directories where turns can work if the settings name none. */
  readonly workspaces: readonly string[];
}

export interface StartedWorker {
  readonly machine: string;
  readonly lane: string;
  readonly notes: readonly string[];
  /** Address of its metrics; undefined if it serves none. */
  readonly metricsUrl: string | undefined;
  /** Takes no more work, waits for running turns up to the limit, then leaves. Rejects if the database prevents that. */
  close(limitMs: number): Promise<void>;
}

/** Composes a worker: fleet → log → engine → ports → queue. */
export async function startWorker(options: StartWorkerOptions): Promise<StartedWorker> {
  const report: Report = {};
  const onError = (error: CaretError): void => report.log?.(error);
  const figures = await openWorkerFigures(options.config);
  const fleet = await openFleet(options.config, { role: "worker", onAppended: figures?.appended, onError });
  // Listeners and lease renewals would keep a process alive that does no work.
  return await startIn(options, fleet, { report, figures, onError }).catch(afterwards(fleet.close));
}

interface Report {
  log?: (error: CaretError) => void;
}

interface Watching {
  readonly report: Report;
  readonly figures: WorkerFigures | undefined;
  readonly onError: (error: CaretError) => void;
}

async function startIn(
  options: StartWorkerOptions,
  fleet: OpenedFleet,
  { report, figures, onError }: Watching,
): Promise<StartedWorker> {
  const { host, config } = options;
  const { seat, store } = fleet;
  const fleetParts = await import("@caret/fleet");
  const { opened, tracer, close: closeEngine } = await openWorkerEngine(options, fleet, { figures, onError });
  const log = createGatewayLog(host, config, opened.redactor);
  report.log = ({ code, message, upstream }) => log.error({ code, upstream }, message);
  const isBusy = (): boolean => opened.engine.runningTurns().length > 0;
  const { directory: models } = laneModels({ ...opened, config, isBusy, onError });
  const defaultWorkspace = config.workspaces.default;
  const shared = openShared(fleetParts, { seat, engine: opened.engine, onError });
  const publisher = fleetParts.createComparisonPublisher({ ...seat, onError });
  const fleetWide = { ...shared, onComparison: publisher.onChange };
  const ports = openGatewayPorts({ host, config, opened, models, defaultWorkspace, ...fleetWide, onError });
  void ports.comparisons.sweep(publisher.isKept);
  const closeParts = async (): Promise<void> => {
    await ports.close();
    await shared.lineage.close();
    await publisher.close();
    await closeEngine();
  };
  const listed = await aboutWorker(config, opened);
  const worker = await fleetParts
    .runWorker({
      ...{ ...ports, publisher, seat, store, engine: opened.engine, tracer, meter: figures?.meter, version, onError },
      capacity: config.fleet.capacity,
      lane: opened.lane,
      redact: (text) => opened.redactor().redactText(text),
      about: async () => listed,
    })
    .catch(afterwards(closeParts));
  const leave = async (): Promise<void> => {
    await worker.close();
    await closeParts();
  };
  const assertWritable = (): Promise<void> => fleetParts.assertWritable(seat.database);
  const serving =
    figures && serveWorkerMetrics({ host, config, figures, opened, worker, assertWritable, log, onError });
  const served = await serving?.catch(afterwards(leave));
  return {
    machine: seat.machine,
    lane: opened.lane,
    notes: opened.notes,
    metricsUrl: served?.url,
    async close(limitMs) {
      const quiet = ports.stopTaking();
      await drained(worker, seat.leases.standing, limitMs);
      const leaveAll = async (): Promise<void> => {
        await leave();
        await quiet;
        await served?.close();
        await fleet.close();
      };
      // An agent that ignores SIGTERM is killed after its grace, and its output is read for a while.
      const { graceMs, drainMs } = config.clocks;
      await leaveInTime("worker", leaveAll(), LEAVE_MS + graceMs + drainMs);
    },
  };
}

/** The worker's engine: a turn runs only in a session that the worker holds. */
async function openWorkerEngine(
  { host, config, workspaces }: StartWorkerOptions,
  { seat, store }: OpenedFleet,
  { figures, onError }: Pick<Watching, "figures" | "onError">,
) {
  const { createLeasedEngine, createPostgresConversationStore, createTurnPublisher } = await import("@caret/fleet");
  // API lane sessions can move to any machine, and what their upstream keeps with us moves along.
  const upstreamState = createPostgresConversationStore({ database: seat.database, onError });
  const onDropped = figures?.spansDropped ?? (() => undefined);
  const tracing = await openTelemetry(config, { service: "caret-worker", onDropped, onError });
  const tracer = tracing?.tracer;
  const onTurnEnd = figures?.turns.countEnd;
  const inner = await openEngine(host, config, { workspaces, keepWarm: true, store, upstreamState, tracer, onTurnEnd });
  const onTurn = createTurnPublisher({ ...seat, store, onError });
  const engine = createLeasedEngine({ engine: inner.engine, leases: seat.leases, onTurn });
  const close = async (): Promise<void> => {
    await inner.close();
    await tracing?.close();
  };
  return { opened: { ...inner, engine }, tracer, close };
}

/** What gateways show about this worker. */
async function aboutWorker(config: Config, opened: OpenedEngine) {
  return {
    lanes: lanesOf(opened),
    defaultLane: opened.lane,
    models: await opened.probe.listModels().catch(() => []),
    workspaces: opened.allowedWorkspaces.directories().filter((directory) => !isOwnDirectory(config, directory)),
  };
}

/** A worker that has given up its leases has stopped its turns, so only the database could still finish its drain. */
async function drained(worker: RunningWorker, standing: LeaseStanding, limitMs: number): Promise<void> {
  const limit = Number.isFinite(limitMs) ? [new Promise((resolve) => setTimeout(resolve, limitMs).unref())] : [];
  await Promise.race([worker.drain(), standing.lapsed(), ...limit]);
}

function afterwards(close: () => Promise<void>): (reason: unknown) => Promise<never> {
  return (reason) => close().then(() => Promise.reject(reason));
}

/**
 * State that workers share through the database: conversations of the stateless doors, so any worker can continue one whose machine is
 * away, and the queues of agents.
 */
function openShared(
  fleet: typeof import("@caret/fleet"),
  { seat, engine, onError }: Pick<OpenedFleet, "seat"> & Pick<OpenedEngine, "engine"> & Pick<Watching, "onError">,
) {
  const { leases, machine, database } = seat;
  return {
    ticks: fleet.createTicks(seat),
    answers: fleet.createPostgresAnswerArchive({ ...seat, onError }),
    elsewhere: fleet.createAgentsElsewhere(seat),
    lineage: fleet.createPostgresLineageStore({ database, machine, fenceOf: leases.fenceOf, onError }),
    adopt: fleet.adoptSession.bind(undefined, { database, engine, machine }),
  };
}
