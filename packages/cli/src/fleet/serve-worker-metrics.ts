import { randomUUID } from "node:crypto";
import type { RunningWorker } from "@caret/fleet";
import type { GatewayLog } from "@caret/gateway";
import type { CaretError } from "@caret/protocol";
import type { Config } from "../config/config-schema.ts";
import type { OpenedEngine } from "../engine/compose.ts";
import { listen } from "../gateway/listen.ts";
import type { Host } from "../host/host.ts";
import { version } from "../host/program.ts";
import { readinessOf } from "../ports/readiness.ts";
import { openTokenStore } from "../tokens/open-token-store.ts";
import type { WorkerFigures } from "./worker-figures.ts";

export interface ServeWorkerMetricsOptions {
  readonly config: Config;
  readonly figures: WorkerFigures;
  readonly opened: OpenedEngine;
  readonly worker: Pick<RunningWorker, "held">;
  /** Rejects if the database accepts no writes. */
  readonly assertWritable: () => Promise<void>;
  readonly host: Host;
  readonly log: GatewayLog;
  readonly onError: (error: CaretError) => void;
}

export interface ServedMetrics {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * A worker's `/metrics`, `/healthz` and `/readyz`, served by the gateway's server without a door, with the same checks of Host, Origin and
 * token. Tokens come from the data directory: a worker's role cannot read the fleet's.
 */
export async function serveWorkerMetrics(options: ServeWorkerMetricsOptions): Promise<ServedMetrics> {
  const { host, config, figures, opened, worker, log, onError } = options;
  const { metrics } = figures;
  const { metricsHost, metricsPort: port = 0, capacity } = config.fleet;
  metrics.gauge("caret_turns_running", "Turns that are running.", () => opened.engine.runningTurns().length);
  metrics.gauge("caret_worker_claims", "Sessions and conversations that this worker has.", worker.held);
  metrics.gauge("caret_worker_capacity", "Sessions and conversations that this worker can have.", () => capacity);
  const { createServer } = await import("@caret/gateway");
  const tokens = openTokenStore({ dataDir: config.dataDir, onError });
  const app = createServer({
    doors: [],
    tokens,
    hosts: config.server.hosts,
    readiness: readinessOf(opened, options.assertWritable),
    metrics,
    version,
    command: host.command,
    newId: randomUUID,
    log,
  });
  return {
    url: await listen(app, { host: metricsHost, port }, { flag: "--metrics-port" }),
    async close() {
      await app.close();
      tokens.close();
    },
  };
}
