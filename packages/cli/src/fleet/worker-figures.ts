import type { WorkerMeter } from "@caret/fleet";
import type { Metrics, TurnMetrics } from "@caret/gateway";
import type { Config } from "../config/config-schema.ts";

/** A worker's counters, from its start. */
export interface WorkerFigures {
  readonly metrics: Metrics;
  readonly turns: TurnMetrics;
  readonly meter: WorkerMeter;
  /** Call when events were appended to the log. */
  readonly appended: () => void;
  readonly spansDropped: (count: number) => void;
}

/** Undefined for a worker that serves no metrics: it counts nothing and loads nothing of the gateway. */
export async function openWorkerFigures({ fleet, telemetry }: Config): Promise<WorkerFigures | undefined> {
  if (fleet.metricsPort === undefined) return undefined;
  const { createMetrics, createTurnMetrics } = await import("@caret/gateway");
  const metrics = createMetrics();
  const turns = createTurnMetrics(metrics);
  const counter = (name: string, help: string) => {
    const made = metrics.counter(name, help);
    made.add(0);
    return made;
  };
  const claims = counter("caret_worker_claims_total", "Sessions and conversations that this worker has taken.");
  const appends = counter("caret_worker_appends_total", "Appends of this worker to the log.");
  const renewals = counter(
    "caret_worker_lease_renewals_total",
    "Times that this worker has renewed all that it holds.",
  );
  const lost = metrics.counter("caret_worker_leases_lost_total", "Leases that this worker did not renew in time.");
  for (const what of ["claim", "session"]) lost.add(0, { what });
  const isTraced = telemetry.otlp.endpoint !== undefined;
  const dropped = isTraced
    ? counter("caret_spans_dropped_total", "Spans of traces that were not delivered.")
    : undefined;
  return {
    metrics,
    turns,
    meter: {
      claimed: () => claims.add(1),
      renewed: () => renewals.add(1),
      lost: (what, count) => lost.add(count, { what }),
    },
    appended: () => appends.add(1),
    spansDropped: (count) => dropped?.add(count),
  };
}
