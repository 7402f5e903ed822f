import { setTimeout as sleep } from "node:timers/promises";
import { CaretError, createNativeClient, type NativeClient } from "@caret/protocol";
import { isAlive } from "@caret/runtime";
import type { LoadedConfig } from "../config/load-config.ts";
import type { Host } from "../host.ts";
import { version } from "../program.ts";
import { findGateway } from "./find-gateway.ts";
import { gatewaySettings } from "./gateway-settings.ts";

/** Another process that starts its gateway at the same moment is ready by then. */
const START_ATTEMPTS = 20;
const ATTEMPT_MS = 500;

export interface GatewayConnection {
  readonly client: NativeClient;
  readonly url: string;
  /** Why this process had to start a gateway itself; undefined when one ran already. */
  readonly startedBecause: string | undefined;
  /** Ends the gateway if this process has started it. */
  close(): Promise<void>;
}

/**
 * The running gateway of this data directory, else one inside this process, which lives as long as the connection and lets turns
 * work in the given directory, or where this process was started.
 */
export async function connectGateway(host: Host, loaded: LoadedConfig, workspace?: string): Promise<GatewayConnection> {
  for (let attempt = 1; ; attempt++) {
    const { dataDir } = loaded.config;
    const found = await findGateway({ dataDir, uid: host.uid, version, env: host.env, isAlive });
    if (found.kind === "reuse") {
      const { tokenOf } = await import("../commands/link.ts");
      const { url } = found.gateway;
      // Read each time: a token may be exchanged while we are connected.
      const client = clientOf(url, () => tokenOf(found.gateway));
      return { client, url, startedBecause: undefined, close: async () => undefined };
    }
    if (found.gateway !== undefined)
      throw new CaretError("storage-locked", `The gateway at ${found.gateway.url} cannot be used: ${found.why}`);
    try {
      return await startOwn(host, loaded, workspace, found.why);
    } catch (reason) {
      const isTaken = CaretError.is(reason) && reason.code === "storage-locked";
      if (!isTaken || attempt === START_ATTEMPTS) throw reason;
      await sleep(ATTEMPT_MS);
    }
  }
}

async function startOwn(
  host: Host,
  loaded: LoadedConfig,
  workspace: string | undefined,
  why: string,
): Promise<GatewayConnection> {
  const { startGateway } = await import("./start-gateway.ts");
  const { config, files: configFiles } = loaded;
  const settings = gatewaySettings(loaded, workspace);
  const gateway = await startGateway({ host, config, configFiles, workspace, mayMovePort: true, settings });
  const { url, token } = gateway;
  return {
    client: clientOf(url, () => token),
    url,
    startedBecause: why,
    close: () => gateway.close({ limitMs: 0, onWait: async () => undefined }),
  };
}

function clientOf(baseUrl: string, token: () => string | undefined): NativeClient {
  return createNativeClient({ baseUrl, headers: () => ({ authorization: `Bearer ${token() ?? ""}` }) });
}
