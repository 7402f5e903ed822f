import { createSignInLinks } from "@caret/gateway";
import { type CaretError, createNativeClient } from "@caret/protocol";
import type { Config } from "../config/config-schema.ts";
import { unboundTools } from "../engine/unbound-tools.ts";
import type { Host } from "../host/host.ts";
import type { GatewayConnection } from "../serve/connect-gateway.ts";
import { gatewayNativeDoor } from "../serve/gateway-doors.ts";
import { openMemoryGateway } from "./memory-gateway.ts";

interface OwnGatewayOptions {
  readonly host: Host;
  readonly config: Config;
  readonly configFiles: readonly string[];
  /** Why no other gateway can be used. */
  readonly why: string;
  /** What a person should know about how turns run here. */
  readonly onNote: (text: string) => void;
  readonly onError: (error: CaretError) => void;
}

/** The runtime with its native door in this process, for `caret acp`. */
export async function openOwnGateway(options: OwnGatewayOptions): Promise<GatewayConnection> {
  const { host, config, why, onNote, onError } = options;
  const links = createSignInLinks({ now: Date.now });
  const { opened, url, token, fetch, close } = await openMemoryGateway({
    host,
    config,
    grant: { name: "acp", scopes: ["admin"] },
    keepWarm: true,
    doors: (parts) => [gatewayNativeDoor({ ...options, ...parts, links })],
    onError,
  });
  for (const note of [...opened.notes, ...unboundTools(config)]) onNote(note);
  const headers = { authorization: `Bearer ${token}` };
  return { client: createNativeClient({ baseUrl: url, headers, fetch }), url, startedBecause: why, close };
}
