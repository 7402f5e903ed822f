import { randomBytes, randomUUID } from "node:crypto";
import { PassThrough } from "node:stream";
import { createMemoryItemStore, createMetrics, createServer, modelsDoor, responsesDoor } from "@caret/gateway";
import type { CaretError } from "@caret/protocol";
import { openEngine } from "../compose.ts";
import { readConfigFile } from "../config/config-paths.ts";
import type { Config } from "../config/config-schema.ts";
import { loadConfig } from "../config/load-config.ts";
import type { Host } from "../host.ts";
import { version } from "../program.ts";
import { laneModels } from "../serve/gateway-lanes.ts";
import { openGatewayPorts } from "../serve/gateway-ports.ts";
import { createMemoryFetch } from "./memory-fetch.ts";

const TOKEN_BYTES = 32;
const KEEP_ALIVE_MS = 15_000;

/** The process that Caret is to run in. */
export type InProcessHost = Pick<Host, "env" | "cwd" | "home" | "platform" | "uid">;

/** Caret inside another program, over the API lane: no gateway, no port, no process of its own. */
export interface InProcess {
  /** Where requests seem to go; what `fetch` is given must begin so. */
  readonly baseUrl: string;
  readonly token: string;
  /** Serves `/v1/responses` and `/v1/models`. */
  readonly fetch: typeof fetch;
  /** Ends running turns. May be called twice. */
  close(): Promise<void>;
}

/** Throws `invalid-config` when the settings are wrong. Nothing is sent anywhere before the first request. */
export async function openInProcess(from: InProcessHost): Promise<InProcess> {
  const host = silentHost(from);
  const { config } = loadConfig({ ...from, flags: { lane: "api" }, readFile: readConfigFile });
  const settings = withoutProcesses(config);
  const opened = await openEngine(host, settings, { workspaces: [from.cwd], keepWarm: false });
  // What fails in the background is reported by the call that needs it: nothing here could show it.
  const onError = (_error: CaretError): void => undefined;
  const { directory: models } = laneModels({ ...opened, config: settings, isBusy: () => false, onError });
  const ports = openGatewayPorts({ host, config: settings, opened, models, defaultWorkspace: undefined, onError });
  const token = randomBytes(TOKEN_BYTES).toString("base64url");
  const app = createServer({
    doors: [
      responsesDoor({
        conversations: ports.conversations,
        now: Date.now,
        newId: randomUUID,
        showActivity: settings.server.activity,
        keepAliveMs: KEEP_ALIVE_MS,
        items: createMemoryItemStore(),
      }),
      modelsDoor({ models }),
    ],
    tokens: {
      find: (secret) => (secret === token ? { name: "in-process", scopes: ["turns", "models"] } : undefined),
      knowsCookie: () => false,
    },
    readiness: async () => ({ version, lanes: [] }),
    metrics: createMetrics(),
    version,
    command: host.command,
    newId: randomUUID,
  });
  await app.ready();
  const shutDown = async (): Promise<void> => {
    opened.engine.stopTaking();
    await app.close();
    await ports.close();
    await opened.close();
  };
  let closing: Promise<void> | undefined;
  return {
    baseUrl: "http://localhost",
    token,
    fetch: createMemoryFetch(app.server),
    close() {
      closing ??= shutDown();
      return closing;
    },
  };
}

/** The program that Caret runs in owns the terminal and the signals. */
function silentHost(from: InProcessHost): Host {
  const sink = new PassThrough().resume();
  return {
    ...from,
    argv: [],
    command: "caret",
    stdin: new PassThrough().end(),
    stdout: sink,
    stderr: sink,
    onSignal: () => () => undefined,
  };
}

/** The API lane starts no process, so there is none to start, to keep warm or to contain. */
function withoutProcesses(config: Config): Config {
  return {
    ...config,
    containment: "off",
    spawner: { ...config.spawner, enabled: false },
    warm: { ...config.warm, enabled: false },
  };
}
