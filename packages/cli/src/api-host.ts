import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { release } from "node:os";
import { join } from "node:path";
import { rootCertificates } from "node:tls";
import { CaretError, type Secret } from "@caret/protocol";
import {
  type ApiCredentials,
  type ApiHost,
  createLazyLinks,
  defaultRetries,
  openConversationStore,
  readEndpoints,
} from "@caret/runtime";
import type { Config } from "./config/config-schema.ts";
import { openApiCredentials } from "./credentials/api-credentials.ts";
import type { Host } from "./host.ts";

export interface ApiHostParts {
  readonly noteSecrets: (secrets: readonly Secret[]) => void;
  readonly onError?: (error: CaretError) => void;
}

/** What the API lane runs with. Nothing is opened or read before its first turn. */
export function createApiHost(host: Host, config: Config, { noteSecrets, onError }: ApiHostParts): ApiHost {
  const { api, clocks, models } = config;
  const credentials = new Map<string, ApiCredentials>();
  const endpoints = () => readEndpoints(host.env, api.url);
  return {
    endpoints,
    httpVersion: api.httpVersion === "auto" ? undefined : api.httpVersion,
    links: createLazyLinks({ ca: certificatesOf(host, api.caFile) }),
    credentials(profile) {
      const known =
        credentials.get(profile) ??
        openApiCredentials(host, config, { profile, noteSecrets, controlUrl: endpoints().control });
      credentials.set(profile, known);
      return known;
    },
    conversations: openConversationStore({ directory: config.dataDir, ...(onError === undefined ? {} : { onError }) }),
    cliConfigDir: config.cli.configDir ?? host.env["CURSOR_CONFIG_DIR"] ?? join(host.home, ".cursor"),
    programs(model) {
      const entry = Object.hasOwn(models, model) ? models[model] : undefined;
      return { profiles: entry?.authProfiles ?? [], fallbackModels: entry?.fallbackModels ?? [] };
    },
    machine: {
      os: `${host.platform} ${release()}`,
      shell: host.env["SHELL"] ?? "/bin/sh",
      timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
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

/** Those of a setting are trusted besides the usual ones; NODE_EXTRA_CA_CERTS is Node's own affair, and holds without any. */
function certificatesOf({ env }: Host, caFile: string | undefined): readonly string[] | undefined {
  if (caFile === undefined) return undefined;
  try {
    const extra = env["NODE_EXTRA_CA_CERTS"];
    const files = [caFile, ...(extra === undefined || extra === "" ? [] : [extra])];
    return [...rootCertificates, ...files.map((file) => readFileSync(file, "utf8"))];
  } catch (cause) {
    throw new CaretError("invalid-config", `The certificates of api.caFile cannot be read: ${caFile}`, { cause });
  }
}
