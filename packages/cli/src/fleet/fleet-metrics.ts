import type { Metrics } from "@caret/gateway";
import { CaretError, type FleetView } from "@caret/protocol";

const READ_MS = 5_000;

export interface FleetMetricsOptions {
  readonly metrics: Metrics;
  readonly read: () => Promise<FleetView>;
  readonly onError: (error: CaretError) => void;
}

/** Numbers of the whole fleet, the same at every gateway: read every five seconds, since Prometheus does not wait for a database. */
export function openFleetMetrics({ metrics, read, onError }: FleetMetricsOptions): () => void {
  let view: FleetView | undefined;
  const look = (): void =>
    void read()
      .then((found) => {
        view = found;
      })
      .catch((reason: unknown) => onError(CaretError.from(reason)));
  const count = (role: string) => () =>
    view?.members.filter((member) => member.role === role && member.state !== "away").length ?? 0;
  const workers = () => view?.members.filter(({ role, state }) => role === "worker" && state === "there") ?? [];
  metrics.gauge("caret_fleet_gateways", "Gateways of the fleet that are there.", count("gateway"));
  metrics.gauge("caret_fleet_workers", "Workers of the fleet that are there.", count("worker"));
  metrics.gauge("caret_fleet_turns_queued", "Turns that wait for a worker.", () => view?.queuedTurns ?? 0);
  metrics.gauge("caret_fleet_turns_running", "Turns that workers run.", () => view?.runningTurns ?? 0);
  metrics.gauge("caret_fleet_leases", "Sessions and conversations that workers hold.", () => view?.leases ?? 0);
  metrics.gauge("caret_fleet_capacity", "Sessions and conversations that workers can hold.", () =>
    workers().reduce((sum, { capacity }) => sum + capacity, 0),
  );
  look();
  const timer = setInterval(look, READ_MS).unref();
  return () => clearInterval(timer);
}
