import { randomUUID } from "node:crypto";
import type { Server } from "node:http";
import {
  createMetrics,
  createServer,
  createTurnMetrics,
  type ServerOptions,
  type TokenGrant,
  type TokenStore,
  type TurnMetrics,
} from "@caret/gateway";
import { CaretError } from "@caret/protocol";
import type { RuntimeModels } from "@caret/runtime";
import type { Config } from "../config/config-schema.ts";
import { type OpenedEngine, openEngine } from "../engine/compose.ts";
import type { Host } from "../host/host.ts";
import { version } from "../host/program.ts";
import { laneModels, laneStates } from "../ports/gateway-lanes.ts";
import { type GatewayPorts, openGatewayPorts } from "../ports/gateway-ports.ts";
import { createMemoryFetch } from "./memory-fetch.ts";
import { createOwnToken } from "./own-token.ts";

/** The parts that doors are built from. */
interface MemoryGatewayParts {
  readonly opened: OpenedEngine;
  readonly ports: GatewayPorts;
  readonly models: RuntimeModels;
  readonly turnMetrics: TurnMetrics;
  readonly defaultWorkspace: string | undefined;
}

interface MemoryGatewayOptions {
  readonly host: Host;
  readonly config: Config;
  /** Scopes of its own token. */
  readonly grant: TokenGrant;
  /** Other tokens to accept. Default: none. */
  readonly tokens?: TokenStore;
  /** Only long-lived processes keep agents warm. */
  readonly keepWarm: boolean;
  readonly doors: (parts: MemoryGatewayParts) => ServerOptions["doors"];
  readonly onError: (error: CaretError) => void;
}

export interface MemoryGateway {
  readonly opened: OpenedEngine;
  /** Nominal address; URLs passed to `fetch` must start with it. */
  readonly url: string;
  readonly token: string;
  /** Reaches the doors in memory. */
  readonly fetch: typeof fetch;
  /** Does not listen. Another server can pass it requests and upgrades. */
  readonly server: Server;
  /** Ends running turns as interrupted. Can be called twice. */
  close(): Promise<void>;
}

/** The runtime behind some of its doors in this process: no port, and no other process can connect. */
export async function openMemoryGateway(options: MemoryGatewayOptions): Promise<MemoryGateway> {
  const { host, config, keepWarm, doors, onError } = options;
  const metrics = createMetrics();
  const turnMetrics = createTurnMetrics(metrics);
  const opened = await openEngine(host, config, {
    workspaces: [host.cwd],
    keepWarm,
    maxTurns: config.server.maxTurns,
    onTurnEnd: turnMetrics.countEnd,
  });
  const isBusy = (): boolean => opened.engine.runningTurns().length > 0;
  const { directory: models } = laneModels({ ...opened, config, isBusy, onError });
  const parts = { opened, models, defaultWorkspace: config.workspaces.default };
  const ports = openGatewayPorts({ ...parts, host, config, onError });
  const { token, tokens } = createOwnToken(options.grant, options.tokens);
  const app = createServer({
    doors: doors({ ...parts, ports, turnMetrics }),
    tokens,
    hosts: config.server.hosts,
    origins: config.server.origins,
    readiness: async () => ({ version, lanes: await laneStates(opened) }),
    metrics,
    version,
    command: host.command,
    newId: randomUUID,
  });
  await app.ready();
  const shutDown = async (): Promise<void> => {
    const quiet = ports.stopTaking();
    opened.engine.stopTaking();
    await opened.engine.interruptTurns();
    await quiet;
    await app.close();
    await ports.close();
    await opened.close();
  };
  let closing: Promise<void> | undefined;
  const memoryFetch = createMemoryFetch(app.server);
  return {
    opened,
    url: "http://localhost",
    token,
    async fetch(input, init) {
      // An "unreachable gateway" error would make clients retry forever.
      if (closing !== undefined)
        throw new CaretError("invalid-request", "This Caret was closed", { fix: "Create another." });
      return await memoryFetch(input, init);
    },
    server: app.server,
    close() {
      closing ??= shutDown();
      return closing;
    },
  };
}
