import { Secret } from "@caret/protocol";
import { secretsAmong } from "@caret/runtime";
import type { Config } from "../config/config-schema.ts";
import type { Host } from "../host/host.ts";

/** The keys this process was started with, for redaction. */
export function knownSecrets(
  { env }: Pick<Host, "env">,
  config: Pick<Config, "cli"> & Partial<Pick<Config, "store" | "fleet" | "notify" | "telemetry">>,
): readonly Secret[] {
  const keys = [env["CURSOR_API_KEY"], env["CURSOR_AUTH_TOKEN"]];
  const ofFleet = [config.fleet?.key, ...passwordsOf(config.store)];
  const ofWebhook = [config.notify?.webhook.url, config.notify?.webhook.secret];
  const own = [...keys, ...ofFleet, ...ofWebhook].flatMap((value) =>
    value === undefined || value === "" ? [] : [new Secret(value)],
  );
  return [...own, ...secretsAmong(config.cli.env), ...secretsAmong(config.telemetry?.otlp.headers ?? {})];
}

/** The password as written in the URL, and decoded. */
function passwordsOf(address: string | undefined): readonly string[] {
  const { password = "" } = URL.parse(address ?? "") ?? {};
  return [password, decoded(password)];
}

/** PostgreSQL clients take a `%` that encodes nothing literally. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // not encoded
  }
}
