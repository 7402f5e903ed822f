import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject, parseJson, Secret } from "@caret/protocol";
import type { CredentialSource } from "./credential-source.ts";

/** Cursor's programs that keep their own login. */
export const foreignPrograms = ["cli", "sdk"] as const;
export type ForeignProgram = (typeof foreignPrograms)[number];

interface ForeignLoginOptions {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
}

/** Path of a program's login file, if it exists. Reads nothing. */
export function findForeignLogin(program: ForeignProgram, options: ForeignLoginOptions): string | undefined {
  const candidates = program === "sdk" ? [join(options.home, ".cursor", "sdk", "auth.json")] : cliLoginFiles(options);
  return candidates.find((file) => statSync(file, { throwIfNoEntry: false })?.isFile() === true);
}

/**
 * Where Cursor's CLI may keep its login. On macOS that is the keychain, unless the CLI is set to use a file; the keychain is never opened.
 */
export function cliLoginFiles({ home, env, platform }: ForeignLoginOptions): readonly string[] {
  const own = env["CURSOR_CONFIG_DIR"];
  const xdg = env["XDG_CONFIG_HOME"] || join(home, ".config");
  const roaming = env["APPDATA"];
  const usual = platform === "win32" && roaming ? join(roaming, "Cursor") : join(xdg, "cursor");
  const directories = [...(own ? [own] : []), usual, join(home, ".cursor")];
  return directories.map((directory) => join(directory, "auth.json"));
}

/**
 * Reads another program's login, only with the user's consent. It is used as is: never copied, and never refreshed, since a refresh could
 * log the other program out.
 */
export function readForeignLogin(
  program: ForeignProgram,
  file: string,
  { origin, now }: { readonly origin: string; readonly now: number },
): CredentialSource | undefined {
  const value = parseJson(readFileSync(file, "utf8"));
  if (!isJsonObject(value) || !isFor(origin, value["backendUrl"])) return undefined;
  const common = {
    keep: false,
    name: program === "cli" ? "Cursor's CLI" : "Cursor's SDK",
    fix: `Log in again with the program that keeps ${file}, or run \`caret login\`.`,
  };
  const { accessToken, apiKey, apiKeyExpiresAtMs } = value;
  const isExpired = typeof apiKeyExpiresAtMs === "number" && apiKeyExpiresAtMs <= now;
  if (typeof apiKey === "string" && apiKey !== "" && !isExpired)
    return { kind: "key", secret: new Secret(apiKey), ...common };
  if (typeof accessToken === "string" && accessToken !== "")
    return { kind: "token", secret: new Secret(accessToken), ...common };
  return undefined;
}

/** The SDK notes which server its key is for; it is never sent to another. */
function isFor(origin: string, backendUrl: unknown): boolean {
  return typeof backendUrl !== "string" || (URL.canParse(backendUrl) && new URL(backendUrl).origin === origin);
}
