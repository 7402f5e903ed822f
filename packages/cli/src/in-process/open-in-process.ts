import { randomUUID } from "node:crypto";
import { createMemoryItemStore, modelsDoor, responsesDoor } from "@caret/gateway";
import { readConfigFile } from "../config/config-paths.ts";
import type { Config } from "../config/config-schema.ts";
import { loadConfig } from "../config/load-config.ts";
import { type MemoryGateway, openMemoryGateway } from "./memory-gateway.ts";
import { type InProcessHost, silentHost } from "./silent-host.ts";

const KEEP_ALIVE_MS = 15_000;

/** Caret inside another program, over the API lane: no gateway, no port, no process of its own. */
export interface InProcess extends Pick<MemoryGateway, "token" | "close"> {
  /** Nominal address; URLs passed to `fetch` must start with it. */
  readonly baseUrl: string;
  /** Serves `/v1/responses` and `/v1/models`. */
  readonly fetch: typeof fetch;
}

/** Throws `invalid-config` if the settings are wrong. Nothing is sent anywhere before the first request. */
export async function openInProcess(from: InProcessHost): Promise<InProcess> {
  const { config } = loadConfig({ ...from, flags: { lane: "api" }, readFile: readConfigFile });
  const settings = withoutProcesses(config);
  const { url, token, fetch, close } = await openMemoryGateway({
    host: silentHost(from),
    config: settings,
    grant: { name: "in-process", scopes: ["turns", "models"] },
    keepWarm: false,
    doors: ({ ports, models }) => [
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
    // Background failures are reported by the call that needs the result: nothing here could show them.
    onError: () => undefined,
  });
  return { baseUrl: url, token, fetch, close };
}

/** The API lane starts no process, so there is nothing to spawn, keep warm or contain. */
function withoutProcesses(config: Config): Config {
  return {
    ...config,
    containment: "off",
    spawner: { ...config.spawner, enabled: false },
    warm: { ...config.warm, enabled: false },
    // A client in this process names its workspace, or works in none.
    workspaces: { ...config.workspaces, default: undefined },
  };
}
