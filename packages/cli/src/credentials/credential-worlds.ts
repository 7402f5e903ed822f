import { CaretError, type LaneName, Secret } from "@caret/protocol";
import {
  type CredentialSource,
  childEnvironment,
  type ForeignProgram,
  findForeignLogin,
  foreignPrograms,
  openCredentialStore,
  readForeignLogin,
  resolveProfile,
} from "@caret/runtime";
import type { Config } from "../config/config-schema.ts";
import type { Host } from "../host/host.ts";

/** A place that can hold a credential. */
export interface CredentialWorld {
  /** `caret`: from `caret login`. `key` and `token`: set by the user. `cli` and `sdk`: from Cursor's own programs. */
  readonly kind: "caret" | "key" | "token" | ForeignProgram;
  /** The variable, the profile or the file. */
  readonly place: string;
  /** Undefined: unknown without opening the keychain. */
  readonly isFound: boolean | undefined;
  /** The lanes it works for. */
  readonly lanes: readonly LaneName[];
  readonly account?: string | undefined;
  readonly expiresAt?: number | undefined;
  /** Source of access tokens; undefined if it holds none, or if reading it is not allowed. */
  find(): Promise<CredentialSource | undefined>;
}

export interface WorldsOptions {
  /** The server the credentials are for. */
  readonly origin: string;
  /** Logins of other programs that can be read, in addition to `api.readLogins`. */
  readonly read?: readonly ForeignProgram[];
  readonly now: () => number;
}

/** All places on this machine, in the order the API lane uses them for the default profile. */
export function credentialWorlds(host: Host, config: Config, options: WorldsOptions): readonly CredentialWorld[] {
  const profiles = Object.keys(config.profiles).filter((name) => name !== "default");
  return [...defaultWorlds(host, config, options), ...profiles.map((name) => profileWorld(host, config, name))];
}

/** The places a turn with the default profile tries; the first with a credential wins. */
export function defaultWorlds(host: Host, config: Config, options: WorldsOptions): readonly CredentialWorld[] {
  const own = Object.hasOwn(config.profiles, "default") ? [profileWorld(host, config, "default")] : [];
  return [
    ...own,
    variableWorld(host, "key", "CURSOR_API_KEY"),
    variableWorld(host, "token", "CURSOR_AUTH_TOKEN"),
    caretWorld(config, options),
    ...foreignPrograms.map((program) => foreignWorld(host, config, program, options)),
  ];
}

export function profileWorld(host: Host, config: Config, name: string): CredentialWorld {
  const profile = config.profiles[name];
  const hasKey = profile?.apiKeyFile !== undefined || profile?.apiKeyCommand !== undefined;
  return {
    kind: "key",
    place: `profiles.${name}`,
    isFound: hasKey,
    lanes: hasKey ? ["cli", "api"] : ["cli"],
    async find() {
      if (profile === undefined || !hasKey) return undefined;
      const env = childEnvironment({ parent: host.env });
      const resolved = await resolveProfile({ name, profile, env, uid: host.uid, platform: host.platform });
      const secret = resolved.env["CURSOR_API_KEY"];
      const fix = `Put a valid API key where the profile ${name} looks for it.`;
      return secret && { kind: "key", secret, keep: true, name: `the profile ${name}`, fix };
    },
  };
}

function variableWorld({ env }: Host, kind: "key" | "token", variable: string): CredentialWorld {
  const value = env[variable]?.trim() ?? "";
  const fix = `Set ${variable} to a valid one, or unset it: it comes before \`caret login\`.`;
  return {
    kind,
    place: variable,
    isFound: value !== "",
    lanes: ["cli", "api"],
    find: async () =>
      value === "" ? undefined : { kind, secret: new Secret(value), keep: kind === "key", name: variable, fix },
  };
}

function caretWorld({ dataDir }: Config, { origin, now }: WorldsOptions): CredentialWorld {
  const store = openCredentialStore(dataDir);
  const { login } = store.read();
  const isFound = login !== undefined && login.origin === origin;
  return {
    kind: "caret",
    place: store.file,
    isFound,
    lanes: ["api"],
    ...(isFound ? { account: login.email, expiresAt: login.expiresAt } : {}),
    async find() {
      // Reread: another process may have logged in or out.
      const { login: current } = store.read();
      if (current === undefined || current.origin !== origin) return undefined;
      const fix = "Run `caret login` again.";
      if (current.expiresAt !== undefined && current.expiresAt <= now())
        throw new CaretError("not-logged-in", "The key of `caret login` has expired", { fix });
      return { kind: "key", secret: new Secret(current.secret), keep: true, name: "`caret login`", fix };
    },
  };
}

/** Only checked for existence, unless the user allowed reading it. */
function foreignWorld(host: Host, config: Config, program: ForeignProgram, options: WorldsOptions): CredentialWorld {
  const file = findForeignLogin(program, host);
  const mayRead = config.api.readLogins.includes(program) || options.read?.includes(program) === true;
  const own: readonly LaneName[] = program === "cli" ? ["cli"] : [];
  return {
    kind: program,
    place: file ?? (program === "cli" ? "Cursor's CLI" : "Cursor's SDK"),
    isFound: file !== undefined || (program === "cli" && host.platform === "darwin" ? undefined : false),
    lanes: config.api.readLogins.includes(program) ? [...own, "api"] : own,
    async find() {
      const { origin, now } = options;
      return file === undefined || !mayRead ? undefined : readForeignLogin(program, file, { origin, now: now() });
    },
  };
}
