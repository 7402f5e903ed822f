import { CaretError } from "@caret/protocol";
import {
  accountEmail,
  createApiCredentials,
  createControlServer,
  listCliModels,
  openCredentialStore,
} from "@caret/runtime";
import type { Config } from "../config/config-schema.ts";
import type { ControlAccess } from "../credentials/control-access.ts";
import type { CredentialWorld } from "../credentials/credential-worlds.ts";
import type { Host } from "../host/host.ts";
import { isTurnRunning, openProbeHosts } from "./probe-hosts.ts";

const PATIENCE_MS = 60_000;

/** Whether a credential works, found by using it. */
export interface WorldCheck {
  readonly state: "works" | "fails" | "untried";
  readonly detail: string;
  readonly fix?: string;
}

interface CheckOptions {
  readonly host: Host;
  readonly config: Config;
  readonly control: ControlAccess;
}

/** Never rejects: failures are its result. */
export async function checkWorld(world: CredentialWorld, options: CheckOptions): Promise<WorldCheck> {
  try {
    return world.kind === "cli" ? await checkCli(options) : await checkTokens(world, options);
  } catch (reason) {
    const { message, fix } = CaretError.from(reason);
    return { state: "fails", detail: message, fix };
  }
}

/** Asks the account server for the token's owner: it answers only for a valid token. */
async function checkTokens(world: CredentialWorld, { config, control }: CheckOptions): Promise<WorldCheck> {
  const source = await world.find();
  if (source === undefined)
    return { state: "untried", detail: "not read", fix: `caret auth --check --read ${world.kind}` };
  const credentials = createApiCredentials({
    ...control,
    find: async () => source,
    store: openCredentialStore(config.dataDir),
    noteSecrets: () => undefined,
    wallClock: Date.now,
  });
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const server = createControlServer(control);
  const token = await credentials.accessToken(signal);
  const email = await accountEmail(server, token.secret).catch(async (reason: unknown) => {
    if (CaretError.from(reason).code !== "not-logged-in") throw reason;
    // It may have been revoked after it was stored.
    return await accountEmail(server, (await credentials.replaceRejected(token, signal)).secret);
  });
  return { state: "works", detail: email === undefined ? "accepted" : `accepted, as ${email}` };
}

/** Runs the CLI, which alone can read its login. A key in the environment would hide that login, so it is removed. */
async function checkCli({ host, config }: CheckOptions): Promise<WorldCheck> {
  if (await isTurnRunning(config))
    return { state: "untried", detail: "not tried while a turn runs", fix: "caret auth --check" };
  const { CURSOR_API_KEY: _key, CURSOR_AUTH_TOKEN: _token, ...env } = host.env;
  const hosts = openProbeHosts({ ...host, env }, { ...config, profiles: {} });
  try {
    const models = await listCliModels(hosts.cli);
    return { state: "works", detail: `the CLI lists ${models.length} models` };
  } finally {
    await hosts.close();
  }
}
