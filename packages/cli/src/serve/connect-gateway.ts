import { CaretError, createNativeClient, type NativeClient } from "@caret/protocol";
import { isAlive } from "@caret/runtime";
import type { LoadedConfig } from "../config/load-config.ts";
import { type FoundGateway, findGateway } from "../gateway/find-gateway.ts";
import { type GatewayLock, readLockFile } from "../gateway/gateway-lock.ts";
import { withKeptPort } from "../gateway/kept-port.ts";
import type { Host } from "../host/host.ts";
import { version } from "../host/program.ts";
import { gatewaySettings } from "./gateway-settings.ts";
import { untilUnlocked } from "./until-unlocked.ts";

export interface GatewayConnection {
  readonly client: NativeClient;
  readonly url: string;
  /** Why this process had to start a gateway; undefined if one was already running. */
  readonly startedBecause: string | undefined;
  /** Ends the gateway if this process started it. */
  close(): Promise<void>;
}

type NoGateway = Extract<FoundGateway, { readonly kind: "none" }>;

export interface ConnectOptions {
  /** Workspace for turns of a gateway started here, in addition to this process's working directory. */
  readonly workspace?: string | undefined;
  /** A gateway started here must listen on its own port because a client's file names it; a port in use is then an error. */
  readonly keepsPort?: boolean;
  /** What to use if no gateway runs. Default: a gateway inside this process that lives as long as the connection. */
  readonly start?: (host: Host, loaded: LoadedConfig, found: NoGateway) => Promise<GatewayConnection>;
}

/** Connects to this data directory's running gateway, else to the result of `start`. */
export async function connectGateway(
  host: Host,
  loaded: LoadedConfig,
  { workspace, keepsPort, start }: ConnectOptions = {},
): Promise<GatewayConnection> {
  let found: FoundGateway | undefined;
  const attempt = async (): Promise<GatewayConnection> => {
    const { dataDir } = loaded.config;
    found = await findGateway({ dataDir, uid: host.uid, version, env: host.env, isAlive });
    if (found.kind === "reuse") return await connectRunning(host, dataDir, found.gateway);
    return await (start === undefined
      ? startOwn(host, loaded, found, { workspace, keepsPort })
      : start(host, loaded, found));
  };
  return await untilUnlocked(attempt, () => found?.gateway === undefined);
}

/** After a restart of the gateway, possibly on another port, requests go to the new one. */
async function connectRunning({ uid }: Host, dataDir: string, gateway: GatewayLock): Promise<GatewayConnection> {
  const { tokenOf } = await import("./ask-for-link.ts");
  const { url } = gateway;
  let known = gateway;
  const current = (): GatewayLock => {
    known = readLockFile(dataDir, uid) ?? known;
    return known;
  };
  const client = createNativeClient({
    baseUrl: url,
    // Reread each time: the token can be replaced while we are connected.
    headers: () => bearer(tokenOf(current())),
    fetch: (input, init) => fetch(String(input).replace(url, current().url), init),
  });
  return { client, url, startedBecause: undefined, close: async () => undefined };
}

async function startOwn(
  host: Host,
  loaded: LoadedConfig,
  { why, gateway: other }: NoGateway,
  { workspace, keepsPort = false }: { readonly workspace: string | undefined; readonly keepsPort: boolean | undefined },
): Promise<GatewayConnection> {
  if (other !== undefined) throw new CaretError("storage-locked", `The gateway at ${other.url} cannot be used: ${why}`);
  const { startGateway } = await import("./start-gateway.ts");
  const own = withKeptPort(loaded);
  const { config, files: configFiles } = own;
  const settings = gatewaySettings(own, workspace);
  // It ends with this process: except for `caret install`, no client is configured for it.
  const gateway = await startGateway({ host, config, loaded: own, configFiles, workspace, keepsPort, settings });
  const { url, token } = gateway;
  return {
    client: createNativeClient({ baseUrl: url, headers: bearer(token) }),
    url,
    startedBecause: why,
    close: () => gateway.close({ limitMs: 0, onWait: async () => undefined }),
  };
}

function bearer(token: string | undefined): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${token ?? ""}` };
}
