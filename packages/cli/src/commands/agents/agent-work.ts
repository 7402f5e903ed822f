import { CaretError, createNativeClient, type NativeClient } from "@caret/protocol";
import { isAlive } from "@caret/runtime";
import { loadHostConfig } from "../../config/config-flags.ts";
import { type GatewayLock, readLockFile } from "../../gateway/gateway-lock.ts";
import { socketFetch } from "../../gateway/socket-fetch.ts";
import type { ExitCode, Host } from "../../host/host.ts";

/** What agent commands work with. */
export interface AgentWork {
  readonly host: Host;
  /** Client of the running gateway over its Unix socket, which needs no token. */
  readonly client: NativeClient;
  readonly json: boolean;
}

export interface AgentOptions extends Readonly<Record<string, unknown>> {
  readonly json?: boolean;
}

/** Agents live in the gateway: if none runs there is nothing to do, and none is started behind a person's back. */
export async function withAgents(
  host: Host,
  options: AgentOptions,
  work: (agents: AgentWork) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { config } = loadHostConfig(host, options);
  const client = gatewayClient(readLockFile(config.dataDir, host.uid));
  return await work({ host, client, json: options.json === true });
}

function gatewayClient(gateway: GatewayLock | undefined): NativeClient {
  if (gateway === undefined || !runs(gateway)) throw noGateway("No gateway runs for this data directory");
  const { socket } = gateway;
  if (socket === null) throw noGateway("The running gateway has no Unix socket: it is of an older version");
  return createNativeClient({ baseUrl: "http://localhost", fetch: socketFetch(socket) });
}

function runs({ pid, startTime }: GatewayLock): boolean {
  return startTime === null || isAlive({ pid, startTime });
}

function noGateway(message: string): CaretError {
  return new CaretError("not-found", message, {
    fix: "Start one with `caret serve`, or keep one running with `caret service install`.",
  });
}
