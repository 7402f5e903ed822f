import { accessSync, constants, statSync } from "node:fs";
import { CaretError } from "@caret/protocol";
import type { Config } from "../config/config-schema.ts";
import { controlAccess } from "../credentials/control-access.ts";
import { type CredentialWorld, defaultWorlds } from "../credentials/credential-worlds.ts";
import type { Host } from "../host/host.ts";
import type { Finding } from "./finding.ts";

const check = "credentials";

/** Checks credentials without using them; `caret auth --check` tests them. */
export function checkCredentials(host: Host, config: Config): readonly Finding[] {
  return [...emptyVariables(host), ...hiddenLogin(host, config), ...profileKeys(config, host.uid)];
}

function emptyVariables({ env }: Host): readonly Finding[] {
  return ["CURSOR_API_KEY", "CURSOR_AUTH_TOKEN"]
    .filter((name) => env[name] !== undefined && env[name]?.trim() === "")
    .map((name) => ({
      check,
      state: "warn",
      detail: `${name} is set, but empty: Cursor's CLI takes that for a wrong one`,
      fix: `unset ${name}`,
    }));
}

/** An unreadable file of logins is a finding as well. */
function hiddenLogin(host: Host, config: Config): readonly Finding[] {
  try {
    const { origin } = controlAccess(host, config).controlUrl;
    return orderOf(defaultWorlds(host, config, { origin, now: Date.now }), Date.now());
  } catch (reason) {
    const { message, fix } = CaretError.from(reason);
    return [{ check, state: "fail", detail: message, fix }];
  }
}

/** Finds a credential that takes precedence over the login a person made on purpose, and that login's expiry. */
function orderOf(worlds: readonly CredentialWorld[], now: number): readonly Finding[] {
  const [first] = worlds.filter(({ isFound }) => isFound === true);
  const login = worlds.find(({ kind, isFound }) => kind === "caret" && isFound === true);
  if (login === undefined) return [];
  if (login.expiresAt !== undefined && login.expiresAt <= now)
    return [{ check, state: "warn", detail: "the key of `caret login` has expired", fix: "caret login" }];
  if (first === undefined || first === login) return [];
  return [
    {
      check,
      state: "warn",
      detail: `${first.place} is used on the api lane, not \`caret login\``,
      fix: first.kind === "key" || first.kind === "token" ? `unset ${first.place}` : "caret auth",
    },
  ];
}

function profileKeys({ profiles }: Config, uid: number | undefined): readonly Finding[] {
  return Object.entries(profiles).flatMap(([name, { apiKeyFile }]): readonly Finding[] => {
    if (apiKeyFile === undefined) return [];
    const stat = statSync(apiKeyFile, { throwIfNoEntry: false });
    if (stat === undefined || !isReadable(apiKeyFile))
      return [
        {
          check,
          state: "fail",
          detail: `the key file of the profile ${name}, ${apiKeyFile}, cannot be read`,
          fix: `Put the API key into ${apiKeyFile}, or remove profiles.${name}.`,
        },
      ];
    if (uid === undefined || (stat.mode & 0o077) === 0) return [];
    return [
      {
        check,
        state: "fail",
        detail: `other users may open the key file of the profile ${name}, ${apiKeyFile}`,
        fix: `chmod 600 ${apiKeyFile}`,
      },
    ];
  });
}

function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false; // the expected answer
  }
}
