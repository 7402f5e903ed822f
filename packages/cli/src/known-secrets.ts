import { Secret } from "@caret/protocol";
import type { Config } from "./config/config-schema.ts";
import type { Host } from "./host.ts";

/** The keys this process was started with, so that they can be taken out of whatever leaves it. */
export function knownSecrets({ env }: Pick<Host, "env">, config: Config): readonly Secret[] {
  const values = [env["CURSOR_API_KEY"], env["CURSOR_AUTH_TOKEN"], ...Object.values(config.cli.env)];
  return values.flatMap((value) => (value === undefined || value === "" ? [] : [new Secret(value)]));
}
