import { Secret } from "@caret/protocol";
import { createRedactor } from "@caret/runtime";
import type { Config } from "../config/config-schema.ts";
import type { Host } from "../host.ts";

/** Takes out of what leaves this machine the keys it was started with, and whatever looks like one. */
export function hostRedactor({ env }: Host, config: Config): ReturnType<typeof createRedactor> {
  const values = [env["CURSOR_API_KEY"], env["CURSOR_AUTH_TOKEN"], ...Object.values(config.cli.env)];
  const secrets = values.flatMap((value) => (value === undefined || value === "" ? [] : [new Secret(value)]));
  return createRedactor({ secrets });
}
