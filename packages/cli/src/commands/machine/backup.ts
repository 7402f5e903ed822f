import type { Command } from "commander";
import { backUpData } from "../../backup/back-up-data.ts";
import { addConfigFlags, loadHostConfig } from "../../config/config-flags.ts";
import { absolutePath } from "../../config/config-paths.ts";
import type { ExitCode, Host } from "../../host/host.ts";
import { printJson, printLines } from "../../terminal/print.ts";
import { cleanLine } from "../../terminal/text-cleaner.ts";

const MEGABYTE = 1_000_000;

interface BackupOptions extends Readonly<Record<string, unknown>> {
  readonly json?: boolean;
}

export function addBackupCommand(program: Command, host: Host, done: (code: ExitCode) => void): void {
  const command = program
    .command("backup")
    .description("copy sessions, agents, tokens and receipts, while the gateway runs")
    .argument("<directory>", "a new directory for the copy")
    .option("--json", "print JSON");
  addConfigFlags(command).action(async (directory: string, options: BackupOptions) =>
    done(await backup(host, directory, options)),
  );
}

async function backup(host: Host, directory: string, options: BackupOptions): Promise<ExitCode> {
  const { dataDir } = loadHostConfig(host, options).config;
  const made = backUpData(dataDir, absolutePath(directory, { ...host, base: host.cwd }));
  if (options.json === true) return await printJson(host, made);
  return await printLines(host, [
    `Copied ${made.files} files (${Math.ceil(made.bytes / MEGABYTE)} MB) to ${made.directory}`,
    ...(made.worktrees === 0
      ? []
      : [`Not copied: ${made.worktrees} worktrees of agents. Their commits are in their repositories.`]),
    ...(made.skipped ?? []).map(({ path, why }) => `Not copied: ${cleanLine(path)}: ${why}`),
    `Use it:  ${host.command} serve --data-dir ${made.directory}`,
  ]);
}
