import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { CaretError } from "@caret/protocol";
import { writePrivateFile } from "@caret/runtime";
import { createToken, revokeToken } from "./change-tokens.ts";
import { digestToken, readTokenFile } from "./token-file.ts";

/** Token name of an installed client. */
export function clientTokenName(client: string): string {
  return `install-${client}`;
}

/** Token name of a launched client. Kept for the next launch: several may run at once. */
export function launchTokenName(client: string): string {
  return `launch-${client}`;
}

/** File of its secret, for clients that read a file or run a command. */
export function clientTokenPath(dataDir: string, name: string): string {
  return join(dataDir, "client-tokens", name);
}

/** A client's token secret; created if there is no valid one. */
export async function ensureClientToken(dataDir: string, name: string): Promise<string> {
  const file = clientTokenPath(dataDir, name);
  const entry = readTokenFile(dataDir).find((token) => token.name === name && token.revokedAt === undefined);
  const kept = existsSync(file) ? readFileSync(file, "utf8").trim() : undefined;
  if (kept !== undefined && entry?.sha256 === digestToken(kept)) return kept;
  if (entry !== undefined) await revokeToken(dataDir, name);
  const { secret } = await createToken(dataDir, { name, scopes: ["turns", "models"] });
  writePrivateFile(file, `${secret.reveal()}\n`);
  return secret.reveal();
}

export function readClientToken(dataDir: string, name: string): string {
  const file = clientTokenPath(dataDir, name);
  if (existsSync(file)) return readFileSync(file, "utf8").trim();
  throw new CaretError("not-found", `The secret of a token ${JSON.stringify(name)} is not kept`, {
    fix: "Only those of installed clients are: `caret install` makes them.",
  });
}

export async function removeClientToken(dataDir: string, name: string): Promise<void> {
  rmSync(clientTokenPath(dataDir, name), { force: true });
  if (readTokenFile(dataDir).some((entry) => entry.name === name)) await revokeToken(dataDir, name);
}
