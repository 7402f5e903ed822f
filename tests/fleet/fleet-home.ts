import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { type PostgresServer, startPostgres } from "@caret/fleet/testing/postgres-server.ts";
import { createNativeClient, type NativeClient } from "@caret/protocol";
import type { ScenarioInput } from "@caret/simulator";
import { GatewayHome } from "../clients/gateway-home.ts";
import { caret, type GatewayProcess, startGateway } from "../clients/gateway-process.ts";

export interface WorkerProcess {
  readonly pid: number;
  /** Where it serves its metrics, if it does. */
  readonly metricsUrl: string | undefined;
  stderr(): string;
  kill(signal: NodeJS.Signals): void;
  readonly exited: Promise<unknown>;
}

interface FleetHomeOptions {
  /** Whether commits reach the disk. */
  readonly fsync?: boolean;
}

/** A database, and a directory for the gateways and workers that use it. */
export class FleetHome {
  readonly home: GatewayHome;
  readonly server: PostgresServer;
  readonly url: string;
  readonly #processes: { kill(signal: NodeJS.Signals): void; readonly exited: Promise<unknown> }[] = [];

  private constructor(home: GatewayHome, server: PostgresServer) {
    this.home = home;
    this.server = server;
    this.url = server.createDatabase("caret_fleet");
  }

  static async open(scenario?: ScenarioInput, options: FleetHomeOptions = {}): Promise<FleetHome> {
    return new FleetHome(new GatewayHome(scenario), await startPostgres(options));
  }

  environment(name: string): Record<string, string> {
    return {
      ...this.home.environment(),
      CARET_STORE: this.url,
      CARET_FLEET_KEY: "the key of a fleet in a test, long enough",
      CARET_DATA_DIR: join(this.home.directory, name),
      CARET_WORKSPACES_ALLOW: JSON.stringify([this.home.workspace]),
    };
  }

  async gateway(name: string, env: Readonly<Record<string, string>> = {}): Promise<GatewayProcess> {
    const gateway = await startGateway(this.home, { env: { ...this.environment(name), ...env } });
    this.#processes.push(gateway);
    return gateway;
  }

  /** A `caret worker` of its own, once it is ready. */
  async worker(name: string, env: Readonly<Record<string, string>> = {}, lane = "sim"): Promise<WorkerProcess> {
    const child = spawn(process.execPath, [caret, "worker", "--lane", lane, "--json"], {
      cwd: this.home.workspace,
      env: { ...this.environment(name), ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    const exited = once(child, "exit");
    const closed = once(child, "close");
    const kill = (signal: NodeJS.Signals): void => void child.kill(signal);
    // Before it is ready: a test that fails meanwhile leaves none behind.
    this.#processes.push({ kill, exited });
    const [line] = await Promise.race([once(createInterface({ input: child.stdout }), "line"), exited.then(() => [])]);
    if (line === undefined) {
      await closed; // what it said last arrives after its exit
      throw new Error(`The worker did not become ready: ${stderr}`);
    }
    const { metricsUrl } = JSON.parse(String(line)) as { readonly metricsUrl?: string };
    return { pid: child.pid ?? 0, metricsUrl, exited, stderr: () => stderr, kill };
  }

  /** A token that every gateway of the fleet knows. */
  async token(name: string, ...more: readonly string[]): Promise<string> {
    const argv = [caret, "token", "create", name, "--store", "--json", ...more];
    const env = this.environment("command");
    const { stdout } = await promisify(execFile)(process.execPath, argv, { cwd: this.home.workspace, env });
    return (JSON.parse(stdout) as { readonly secret: string }).secret;
  }

  client({ url, token }: GatewayProcess): NativeClient {
    return createNativeClient({ baseUrl: url, headers: { authorization: `Bearer ${token}` } });
  }

  async remove(): Promise<void> {
    for (const { kill } of this.#processes) kill("SIGKILL");
    await Promise.all(this.#processes.map(({ exited }) => exited));
    await this.server.stop();
    this.home.remove();
  }
}
