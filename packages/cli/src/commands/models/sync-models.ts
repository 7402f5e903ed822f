import { CaretError, type DirectoryModel } from "@caret/protocol";
import { type Command, Option } from "commander";
import { addConfigFlags, loadHostConfig } from "../../config/config-flags.ts";
import { absolutePath } from "../../config/config-paths.ts";
import type { ExitCode, Host } from "../../host/host.ts";
import { clientLists } from "../../models/client-list.ts";
import { type FoundList, findClientList } from "../../models/find-client-list.ts";
import { noteSynced } from "../../models/note-synced.ts";
import { type Synced, syncClient } from "../../models/sync-client.ts";
import { printJson, printLines, write } from "../../terminal/print.ts";
import { cleanLine } from "../../terminal/text-cleaner.ts";
import { type ModelWork, withModels } from "./with-models.ts";

interface SyncOptions {
  readonly client?: string;
  readonly variants?: boolean;
  readonly compact?: boolean;
  readonly prune?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
  /** The client's file, as in open-cursor; Caret's own settings file is set by `CARET_CONFIG`. */
  readonly config?: string;
}

export function addSyncModelsCommand(program: Command, host: Host, done: (code: ExitCode) => void): void {
  const command = program
    .command("sync-models")
    .description("write Cursor's models into the settings of clients that list models")
    .addOption(
      new Option("--client <name>", "only this client (default: all that have Caret)").choices(
        clientLists.map(({ id }) => id),
      ),
    )
    .option("--variants", "one entry for a family, with its variants")
    .addOption(new Option("--compact", "also remove the ids that families stand for").implies({ variants: true }))
    .option("--prune", "also remove entries that a sync wrote and Cursor does not list any more")
    .option("--dry-run", "say what would change, and write nothing")
    .option("--config <path>", "the client's file, where it is not in its usual place")
    .option("--json", "print JSON");
  addConfigFlags(command).action(async (options: SyncOptions) => done(await sync(host, options)));
}

async function sync(host: Host, options: SyncOptions): Promise<ExitCode> {
  const { config: named, ...rest } = options;
  const { config } = loadHostConfig(host, { ...rest });
  findLists(host, options.client, named); // throws before the agent is asked
  const complain = ({ message }: Error): void => void write(host.stderr, `caret: ${message}\n`);
  const models = await withModels(host, config, listedModels, complain);
  const { variants = false, compact = false, prune = false, dryRun = false } = options;
  // Reread: the client may have written its file while the agent was asked.
  const lists = findLists(host, options.client, named);
  const synced = lists.map((found) => {
    const { settings, ...one } = syncClient(found, models, { variants, compact, prune, dryRun });
    if (!dryRun) noteSynced(config.dataDir, one, settings);
    return one;
  });
  if (options.json === true) return await printJson(host, { dryRun, clients: synced });
  return await printLines(
    host,
    synced.flatMap((one) => syncedLines(one, dryRun)),
  );
}

/** A failed fetch must not make everything in the file count as unlisted. */
async function listedModels({ directory, isBusy }: ModelWork): Promise<readonly DirectoryModel[]> {
  const models = await directory.list();
  if (isBusy && models.every(({ id }) => id === "auto"))
    throw new CaretError("session-busy", "No list of models is kept, and the agent is not asked while a turn runs");
  return models;
}

function findLists(host: Host, client: string | undefined, named: string | undefined): readonly FoundList[] {
  const path = named === undefined ? undefined : absolutePath(named, { ...host, base: host.cwd });
  // A named file belongs to one client: OpenCode by default.
  const only = client ?? (path === undefined ? undefined : "opencode");
  const wanted = clientLists.filter(({ id }) => only === undefined || id === only);
  const found = wanted.flatMap((list) => findClientList(host, list, path) ?? []);
  if (found.length > 0) return found;
  const [first] = wanted;
  const where =
    path ?? (only === undefined ? "the settings of any client that lists models" : `${first?.name}'s settings`);
  throw new CaretError("invalid-config", `Caret is no provider in ${where}`, {
    fix: `Run \`caret install ${first?.id ?? "opencode"}\`, then this again.`,
  });
}

function syncedLines({ client, file, changed, ...plan }: Omit<Synced, "settings">, dryRun: boolean): readonly string[] {
  const counts = (["added", "updated", "removed", "priced", "skipped"] as const).map(
    (key) => `${key} ${plan[key].length}`,
  );
  const state = changed ? (dryRun ? "would change" : "changed") : "unchanged";
  return [
    `${client}: ${file} (${state})`,
    `  ${counts.join(", ")}`,
    ...plan.skipped.map(({ id, why }) => `  ${cleanLine(`kept ${id}: ${why}`)}`),
  ];
}
