import { resolve } from "node:path";
import type { Command } from "commander";
import { addConfigFlags, loadHostConfig } from "../../config/config-flags.ts";
import { startWorker } from "../../fleet/start-worker.ts";
import { untilReachable } from "../../fleet/until-reachable.ts";
import type { ExitCode, Host } from "../../host/host.ts";
import { closed, interruption } from "../../terminal/interruption.ts";
import { write } from "../../terminal/print.ts";

interface WorkerOptions extends Readonly<Record<string, unknown>> {
  readonly workspace?: string;
  readonly metricsPort?: string;
  readonly json?: boolean;
}

/** How long turns may run on after SIGTERM; a second signal stops at once. */
const TERMINATION_MS = 10_000;

export function addWorkerCommand(program: Command, host: Host, done: (code: ExitCode) => void): void {
  const command = program
    .command("worker")
    .description("run turns of a fleet on this machine")
    .option("--store <address>", "the fleet's database; better set by CARET_STORE, since others see arguments")
    .option("--workspace <directory>", "directory that turns may work in (default: the current one)")
    .option("--data-dir <directory>", "where everything of Caret's is kept on this machine")
    .option(
      "--metrics-port <port>",
      "serve /metrics and /healthz here, on loopback unless fleet.metricsHost says otherwise",
    )
    .option("--json", "print one line of JSON when ready, and nothing else");
  addConfigFlags(command).action(async (options: WorkerOptions) => done(await work(host, options)));
}

async function work(host: Host, options: WorkerOptions): Promise<ExitCode> {
  const { metricsPort: fleetMetricsPort, ...flags } = options;
  const { config } = loadHostConfig(host, fleetMetricsPort === undefined ? flags : { ...flags, fleetMetricsPort });
  const workspaces = [resolve(host.cwd, options.workspace ?? ".")];
  const worker = await untilReachable(host, () => startWorker({ host, config, workspaces }));
  const { machine, lane, notes, metricsUrl } = worker;
  const metricsLines = metricsUrl === undefined ? [] : [`Metrics: ${metricsUrl}/metrics`];
  // Installed before it reports ready: a signal may follow at once.
  const interrupted = interruption(host);
  void write(
    host.stdout,
    options.json === true
      ? `${JSON.stringify({ event: "ready", machine, lane, pid: process.pid, ...(metricsUrl && { metricsUrl }) })}\n`
      : [`Worker of the machine ${machine}, lane ${lane}. Stop it with Ctrl-C.`, ...notes, ...metricsLines, ""].join(
          "\n",
        ),
  );
  const signal = await interrupted;
  return await closed(host, worker.close(signal === "SIGTERM" ? TERMINATION_MS : Number.POSITIVE_INFINITY));
}
