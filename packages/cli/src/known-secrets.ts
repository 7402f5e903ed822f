import { Secret } from "@caret/protocol";
import { secretsAmong } from "@caret/runtime";
import type { Config } from "./config/config-schema.ts";
import type { Host } from "./host.ts";

/** The keys this process was started with, so that they can be taken out of whatever is kept. */
export function knownSecrets({ env }: Pick<Host, "env">, config: Pick<Config, "cli">): readonly Secret[] {
  const keys = [env["CURSOR_API_KEY"], env["CURSOR_AUTH_TOKEN"]];
  const own = keys.flatMap((value) => (value === undefined || value === "" ? [] : [new Secret(value)]));
  return [...own, ...secretsAmong(config.cli.env)];
}
