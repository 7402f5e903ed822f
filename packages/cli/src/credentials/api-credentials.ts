import { CaretError, type Secret } from "@caret/protocol";
import {
  type ApiCredentials,
  type CredentialSource,
  createApiCredentials,
  createControlFetch,
  openCredentialStore,
} from "@caret/runtime";
import type { Config } from "../config/config-schema.ts";
import type { Host } from "../host/host.ts";
import { defaultWorlds, profileWorld } from "./credential-worlds.ts";
import { trustedCertificates } from "./trusted-certificates.ts";

interface ApiCredentialsParts {
  /** The account server, already validated. */
  readonly controlUrl: URL;
  readonly profile: string;
  readonly noteSecrets: (secrets: readonly Secret[]) => void;
}

/** The access tokens of one profile. Throws `invalid-config` if the profile does not exist. */
export function openApiCredentials(host: Host, config: Config, parts: ApiCredentialsParts): ApiCredentials {
  const { controlUrl, profile, noteSecrets } = parts;
  if (profile !== "default" && !Object.hasOwn(config.profiles, profile))
    throw new CaretError("invalid-config", `There is no profile ${profile}`, {
      fix: `Add \`profiles.${profile}\` to caret.json.`,
    });
  return createApiCredentials({
    controlUrl,
    find: () => findSource(host, config, { profile, origin: controlUrl.origin }),
    store: openCredentialStore(config.dataDir),
    fetch: createControlFetch(trustedCertificates(host, config)),
    noteSecrets,
    wallClock: Date.now,
  });
}

/** A named profile is a separate account: no other credential replaces it. */
async function findSource(
  host: Host,
  config: Config,
  { profile, origin }: { readonly profile: string; readonly origin: string },
): Promise<CredentialSource> {
  const worlds =
    profile === "default"
      ? defaultWorlds(host, config, { origin, now: Date.now })
      : [profileWorld(host, config, profile)];
  for (const world of worlds) {
    const source = await world.find();
    if (source !== undefined) return source;
  }
  if (profile === "default")
    throw new CaretError("not-logged-in", "The api lane has no login", {
      fix: "Run `caret login`, or set CURSOR_API_KEY; `caret auth` lists the credentials that were found.",
    });
  throw new CaretError("not-logged-in", `The profile ${profile} has no API key, which the api lane needs`, {
    fix: `Give \`profiles.${profile}\` an apiKeyFile or an apiKeyCommand.`,
  });
}
