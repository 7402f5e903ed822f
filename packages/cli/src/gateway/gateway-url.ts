import type { Config } from "../config/config-schema.ts";
import type { Host } from "../host/host.ts";
import { readLockFile } from "./gateway-lock.ts";

/** URL of the running gateway, else of the one the settings describe; without a trailing slash. */
export function gatewayUrl(host: Pick<Host, "uid">, { dataDir, server }: Config): string {
  const running = readLockFile(dataDir, host.uid);
  return running === undefined ? `http://${server.host}:${server.port}` : running.url.replace(/\/$/, "");
}
