import { randomUUID } from "node:crypto";
import { release } from "node:os";
import { join } from "node:path";
import type { CaretError, Secret } from "@caret/protocol";
import {
  type ApiCredentials,
  type ApiHost,
  createLazyLinks,
  defaultRetries,
  openConversationStore,
  readEndpoints,
} from "@caret/runtime";
import type { Config } from "../config/config-schema.ts";
import { openApiCredentials } from "../credentials/api-credentials.ts";
import { trustedCertificates } from "../credentials/trusted-certificates.ts";
import type { Host } from "../host/host.ts";

export interface ApiHostParts {
  readonly noteSecrets: (secrets: readonly Secret[]) => void;
  readonly onError?: (error: CaretError) => void;
  /** Store of the upstream's half of conversations. Default: in the data directory. */
  readonly conversations?: ApiHost["conversations"] | undefined;
}

/** The API lane's host. Opens and reads nothing before its first turn. */
export function createApiHost(host: Host, config: Config, parts: ApiHostParts): ApiHost {
  const { noteSecrets, onError } = parts;
  const { api, clocks, models } = config;
  const credentials = new Map<string, ApiCredentials>();
  const endpoints = () => readEndpoints(host.env, api.url);
  return {
    endpoints,
    httpVersion: api.httpVersion === "auto" ? undefined : api.httpVersion,
    links: createLazyLinks({ ca: trustedCertificates(host, config), bridgeNode: bridgeNodeOf(config) }),
    credentials(profile) {
      const known =
        credentials.get(profile) ??
        openApiCredentials(host, config, { profile, noteSecrets, controlUrl: endpoints().control });
      credentials.set(profile, known);
      return known;
    },
    conversations:
      parts.conversations ??
      openConversationStore({ directory: config.dataDir, ...(onError === undefined ? {} : { onError }) }),
    cliConfigDir: config.cli.configDir ?? host.env["CURSOR_CONFIG_DIR"] ?? join(host.home, ".cursor"),
    programs(model) {
      const entry = Object.hasOwn(models, model) ? models[model] : undefined;
      return { profiles: entry?.authProfiles ?? [], fallbackModels: entry?.fallbackModels ?? [] };
    },
    machine: {
      os: `${host.platform} ${release()}`,
      shell: host.env["SHELL"] ?? "/bin/sh",
      // Lazy: it loads the tables of all time zones.
      get timeZone() {
        return Intl.DateTimeFormat().resolvedOptions().timeZone;
      },
    },
    clocks,
    retries: defaultRetries,
    maxMessageBytes: config.limits.lineBytes,
    noteSecrets,
    newId: randomUUID,
    monotonic: () => performance.now(),
    wallClock: Date.now,
  };
}

/** Other runtimes that load Caret have an HTTP/2 that loses streams; there, a Node process makes the requests. */
function bridgeNodeOf({ api }: Config): string | undefined {
  const isNode = process.versions["bun"] === undefined;
  if (!(api.bridge ?? !isNode)) return undefined;
  return isNode ? process.execPath : "node";
}
