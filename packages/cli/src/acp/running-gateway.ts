import { createNativeClient } from "@caret/protocol";
import { readToken } from "../commands/link.ts";
import { type GatewayLock, readLockFile } from "../serve/gateway-lock.ts";
import type { NativeAccess } from "./native-access.ts";

interface RunningGatewayOptions {
  readonly dataDir: string;
  readonly uid: number | undefined;
  readonly gateway: GatewayLock;
}

/** The gateway that runs for this data directory. When it was restarted, at another port perhaps, requests go to the new one. */
export function useRunningGateway({ dataDir, uid, gateway }: RunningGatewayOptions): NativeAccess {
  let known = gateway;
  const current = (): GatewayLock => {
    known = readLockFile(dataDir, uid) ?? known;
    return known;
  };
  const caret = createNativeClient({
    baseUrl: gateway.url,
    headers: () => ({ authorization: `Bearer ${readToken(current())}` }),
    fetch: (input, init) => fetch(String(input).replace(gateway.url, current().url), init),
  });
  return {
    caret,
    notes: [`sessions are those of the gateway at ${gateway.url}`],
    close: async () => undefined,
  };
}
