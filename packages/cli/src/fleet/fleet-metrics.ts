import type { FleetCounts } from "@caret/fleet";
import type { Metrics } from "@caret/gateway";
import { CaretError } from "@caret/protocol";

const READ_MS = 5_000;

export interface FleetMetricsOptions {
  readonly metrics: Metrics;
  readonly count: () => Promise<FleetCounts>;
  readonly onError: (error: CaretError) => void;
}

/** Fleet-wide metrics, identical at every gateway. Polled every five seconds, since Prometheus does not wait for a database. */
export function openFleetMetrics({ metrics, count, onError }: FleetMetricsOptions): () => void {
  let counts: FleetCounts | undefined;
  const look = (): void =>
    void count()
      .then((found) => {
        counts = found;
      })
      .catch((reason: unknown) => onError(CaretError.from(reason)));
  const gauge = (name: string, help: string, what: keyof FleetCounts): void =>
    metrics.gauge(name, help, () => counts?.[what] ?? 0);
  gauge("caret_fleet_gateways", "Gateways of the fleet that are there.", "gateways");
  gauge("caret_fleet_workers", "Workers of the fleet that are there.", "workers");
  gauge("caret_fleet_turns_queued", "Turns that wait for a worker.", "queuedTurns");
  gauge("caret_fleet_turns_running", "Turns that workers run.", "runningTurns");
  gauge("caret_fleet_leases", "Sessions and conversations that workers hold.", "leases");
  gauge("caret_fleet_capacity", "Sessions and conversations that workers can hold.", "capacity");
  look();
  const timer = setInterval(look, READ_MS).unref();
  return () => clearInterval(timer);
}
