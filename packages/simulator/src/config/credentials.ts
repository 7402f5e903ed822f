import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CliFailure } from "../process/cli-failure.ts";

type Env = Readonly<Record<string, string | undefined>>;

export interface Credentials {
  readonly source: "login" | "env" | "flag";
}

/** `stale`: a token is there but nobody is logged in with it any more. */
export type LoginState = "in" | "out" | "stale";

export interface CredentialOptions {
  readonly env: Env;
  readonly configDir: string;
  readonly apiKey?: string;
  readonly authToken?: string;
}

const yellow = "\u001b[33m";
const plain = "\u001b[0m";

/** Checked before anything else is looked at, as the real CLI does. */
export function requireCredentials(options: CredentialOptions, refusal = authenticationRequired): Credentials {
  const key = options.apiKey ?? options.env["CURSOR_API_KEY"];
  if (key !== undefined) {
    if (isBadKey(key)) throw new CliFailure(badKey);
    return { source: options.apiKey === undefined ? "env" : "flag" };
  }
  if (options.authToken) return { source: "flag" };
  if (options.env["CURSOR_AUTH_TOKEN"]) return { source: "env" };
  if (readLoginState(options) !== "in") throw new CliFailure(refusal);
  return { source: "login" };
}

/** A key that is set but empty is as bad as a wrong one; a wrong one says so of itself. */
function isBadKey(key: string): boolean {
  return key === "" || /bad|invalid/i.test(key);
}

const badKey = [
  `${yellow}⚠ Warning: The provided API key is invalid.${plain}`,
  "Please check you have the right key and try again.",
].join("\n");

const authenticationRequired =
  "Error: Authentication required. Please run 'agent login' first, or set CURSOR_API_KEY environment variable.";

export const authenticationRequiredForModels =
  "Error: Authentication required. Run 'agent login', pass --api-key/--auth-token, or set CURSOR_API_KEY/CURSOR_AUTH_TOKEN.";

/** `CARET_SIM_AUTH` decides; without it, what `login` and `logout` left behind; without that, a user is logged in. */
export function readLoginState({ env, configDir }: Pick<CredentialOptions, "env" | "configDir">): LoginState {
  const forced = env["CARET_SIM_AUTH"];
  if (forced === "in" || forced === "out" || forced === "stale") return forced;
  try {
    return readFileSync(join(configDir, "auth.json"), "utf8").includes("accessToken") ? "in" : "out";
  } catch {
    // Nobody has ever logged in or out here: the simulator is ready to use from the first start.
    return "in";
  }
}

export function writeLoginState(configDir: string, isLoggedIn: boolean): void {
  mkdirSync(configDir, { recursive: true });
  const content = isLoggedIn ? { accessToken: "simulated", refreshToken: "simulated" } : {};
  writeFileSync(join(configDir, "auth.json"), `${JSON.stringify(content)}\n`, { mode: 0o600 });
}
