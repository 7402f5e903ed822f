import { createRedactor } from "@caret/runtime";
import type { Config } from "../config/config-schema.ts";
import type { Host } from "../host.ts";
import { knownSecrets } from "../known-secrets.ts";

/** Takes out of what leaves this machine the keys it was started with, and whatever looks like one. */
export function hostRedactor(host: Host, config: Config): ReturnType<typeof createRedactor> {
  return createRedactor({ secrets: knownSecrets(host, config) });
}
