import { randomBytes, randomUUID } from "node:crypto";
import { createMetrics, createServer, createSignInLinks } from "@caret/gateway";
import { type CaretError, createNativeClient } from "@caret/protocol";
import { openEngine } from "../compose.ts";
import type { Config } from "../config/config-schema.ts";
import type { Host } from "../host.ts";
import { version } from "../program.ts";
import type { GatewayConnection } from "../serve/connect-gateway.ts";
import { gatewayNativeDoor } from "../serve/gateway-doors.ts";
import { laneModels, laneStates } from "../serve/gateway-lanes.ts";
import { openGatewayPorts } from "../serve/gateway-ports.ts";
import { unboundTools } from "../unbound-tools.ts";
import { createMemoryFetch } from "./memory-fetch.ts";

const TOKEN_BYTES = 32;

interface OwnGatewayOptions {
  readonly host: Host;
  readonly config: Config;
  readonly configFiles: readonly string[];
  /** Why there is no other to use. */
  readonly why: string;
  /** What a person should know about how turns will run here. */
  readonly onNote: (text: string) => void;
  readonly onError: (error: CaretError) => void;
}

/** The runtime with its native door in this process, reached in memory: no port, and nobody else can connect. */
export async function openOwnGateway(options: OwnGatewayOptions): Promise<GatewayConnection> {
  const { host, config, why, onNote, onError } = options;
  const opened = await openEngine(host, config, { workspaces: [host.cwd], keepWarm: true });
  const isBusy = (): boolean => opened.engine.runningTurns().length > 0;
  const { directory: models } = laneModels({ ...opened, config, isBusy, onError });
  const parts = { ...options, opened, models, defaultWorkspace: config.workspaces.default };
  const ports = openGatewayPorts(parts);
  const token = randomBytes(TOKEN_BYTES).toString("base64url");
  const app = createServer({
    doors: [gatewayNativeDoor({ ...parts, ports, links: createSignInLinks({ now: Date.now }) })],
    tokens: {
      find: (secret) => (secret === token ? { name: "acp", scopes: ["admin"] } : undefined),
      knowsCookie: () => false,
    },
    readiness: async () => ({ version, lanes: await laneStates(opened) }),
    metrics: createMetrics(),
    version,
    command: host.command,
    newId: randomUUID,
  });
  await app.ready();
  for (const note of [...opened.notes, ...unboundTools(config)]) onNote(note);
  const url = "http://localhost";
  const client = createNativeClient({
    baseUrl: url,
    headers: { authorization: `Bearer ${token}` },
    fetch: createMemoryFetch(app.server),
  });
  return {
    client,
    url,
    startedBecause: why,
    async close() {
      ports.sessions.stopTaking();
      opened.engine.stopTaking();
      await opened.engine.interruptTurns();
      await app.close();
      await ports.close();
      await opened.close();
    },
  };
}
