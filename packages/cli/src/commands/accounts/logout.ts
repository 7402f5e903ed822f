import { logOut, openCredentialStore } from "@caret/runtime";
import type { Command } from "commander";
import { addConfigFlags, loadHostConfig } from "../../config/config-flags.ts";
import { controlAccess } from "../../credentials/control-access.ts";
import type { ExitCode, Host } from "../../host/host.ts";
import { printJson, printLines } from "../../terminal/print.ts";
import { cleanLine } from "../../terminal/text-cleaner.ts";

interface LogoutOptions {
  readonly json?: boolean;
}

export function addLogoutCommand(program: Command, host: Host, done: (code: ExitCode) => void): void {
  const command = program
    .command("logout")
    .description("forget the login of `caret login`, and revoke its API key")
    .option("--json", "print JSON");
  addConfigFlags(command).action(async (options: LogoutOptions) => done(await logout(host, options)));
}

async function logout(host: Host, options: LogoutOptions): Promise<ExitCode> {
  const { config } = loadHostConfig(host, { ...options });
  const { fetch } = controlAccess(host, config);
  const { wasLoggedIn, revoked, note } = await logOut({ store: openCredentialStore(config.dataDir), fetch });
  if (options.json === true) return await printJson(host, { wasLoggedIn, revoked, note: note ?? null });
  if (!wasLoggedIn) return await printLines(host, ["Nobody was logged in."]);
  if (revoked) return await printLines(host, ["Logged out. The API key is revoked."]);
  return await printLines(host, [
    "Logged out on this machine.",
    `The API key could not be revoked: ${cleanLine(note ?? "")}.`,
    "Revoke it at https://cursor.com/dashboard, under API keys.",
  ]);
}
