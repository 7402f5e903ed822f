import type { Command } from "commander";
import { addConfigFlags, loadHostConfig } from "../../config/config-flags.ts";
import type { ExitCode, Host } from "../../host/host.ts";
import type { Draft } from "../../install/file-drafts.ts";
import { previewUninstall, uninstallClient } from "../../install/uninstall-client.ts";
import { printJson, printLines } from "../../terminal/print.ts";

interface UninstallOptions extends Readonly<Record<string, unknown>> {
  readonly dryRun?: boolean;
  readonly print?: boolean;
  readonly json?: boolean;
}

export function addUninstallCommand(program: Command, host: Host, done: (code: ExitCode) => void): void {
  const command = program
    .command("uninstall")
    .description("take back what `caret install` wrote")
    .argument("<client>", "which one")
    .option("--dry-run", "only say which files would be restored")
    .option("--print", "only print what the files would hold")
    .option("--json", "print JSON");
  addConfigFlags(command).action(async (client: string, options: UninstallOptions) =>
    done(await uninstall(host, client, options)),
  );
}

async function uninstall(host: Host, client: string, options: UninstallOptions): Promise<ExitCode> {
  const { dataDir } = loadHostConfig(host, options).config;
  const isPreview = options.dryRun === true || options.print === true;
  const { receipt, changes, kept } = isPreview
    ? previewUninstall(dataDir, client)
    : await uninstallClient(dataDir, client);
  const files = changes.map(({ path, after }) => ({ path, removed: after === undefined }));
  if (options.json === true) return await printJson(host, { client, token: receipt.token, files });
  if (options.print === true) return await printLines(host, changes.flatMap(printed));
  const word = isPreview ? "would be " : "";
  return await printLines(host, [
    ...files.map((file) => `${word}${doneTo(file, kept)}  ${file.path}`),
    ...(receipt.token === null ? [] : [`${word}revoked   the token ${receipt.token}`]),
  ]);
}

function doneTo(
  { path, removed }: { readonly path: string; readonly removed: boolean },
  kept: readonly string[],
): string {
  if (kept.includes(path)) return "kept    ";
  return removed ? "removed " : "restored";
}

function printed({ path, after }: Draft): readonly string[] {
  return [`# ${path}${after === undefined ? " (removed)" : ""}`, ...(after === undefined ? [] : [after])];
}
