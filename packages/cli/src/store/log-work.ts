import { createRedactor, type EventStore } from "@caret/runtime";
import { loadHostConfig } from "../config/config-flags.ts";
import type { Config } from "../config/config-schema.ts";
import { knownSecrets } from "../engine/known-secrets.ts";
import type { ExitCode, Host } from "../host/host.ts";
import { openSharedLog } from "./open-shared-log.ts";

/** What a command on the log works with. */
export interface LogWork {
  readonly host: Host;
  readonly config: Config;
  readonly store: EventStore;
}

export async function withLog(
  host: Host,
  options: Readonly<Record<string, unknown>>,
  work: (log: LogWork) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { config } = loadHostConfig(host, options);
  const store = await openSharedLog(config);
  try {
    return await work({ host, config, store });
  } finally {
    await store.close();
  }
}

/** Redacts what leaves this machine: the keys it was started with, and anything that looks like one. */
export function hostRedactor(host: Host, config: Config): ReturnType<typeof createRedactor> {
  return createRedactor({ secrets: knownSecrets(host, config) });
}
