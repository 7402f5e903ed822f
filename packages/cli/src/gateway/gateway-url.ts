import type { Config } from "../config/config-schema.ts";
import type { Host } from "../host/host.ts";
import { readLockFile } from "./gateway-lock.ts";

/** Of the gateway that runs, else of the one that the settings describe; without a slash at its end. */
export function gatewayUrl(host: Pick<Host, "uid">, { dataDir, server }: Config): string {
  const running = readLockFile(dataDir, host.uid);
  return running === undefined ? `http://${server.host}:${server.port}` : running.url.replace(/\/$/, "");
}
