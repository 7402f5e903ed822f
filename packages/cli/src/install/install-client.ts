import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { CaretError } from "@caret/protocol";
import type { Installation, Recipe } from "@caret/protocol/recipes";
import { writePrivateFile } from "@caret/runtime";
import type { Config } from "../config/config-schema.ts";
import { gatewayUrl } from "../gateway/gateway-url.ts";
import { keepPort } from "../gateway/kept-port.ts";
import type { Host } from "../host/host.ts";
import { version } from "../host/program.ts";
import { clientTokenName, ensureClientToken } from "../tokens/client-token.ts";
import { clientPath } from "./client-path.ts";
import { clientRecipe, NO_TOKEN, requirePart } from "./client-recipe.ts";
import { type Draft, FileDrafts } from "./file-drafts.ts";
import { type PlannedFile, planInstall } from "./plan-install.ts";
import {
  type Receipt,
  readReceipt,
  receiptDirectory,
  removeBackups,
  withReceiptsLocked,
  writeReceipt,
} from "./receipt.ts";
import { undoInstall } from "./undo-install.ts";

export interface ClientInstall {
  readonly host: Host;
  readonly config: Config;
  readonly client: string;
  readonly isDefault: boolean;
}

interface Prepared {
  readonly recipe: Recipe;
  readonly installation: Installation;
  readonly drafts: FileDrafts;
  readonly planned: readonly PlannedFile[];
}

/** What would be written, with a placeholder for the token. Throws what an installation would. */
export function previewInstall(install: ClientInstall): Prepared & { readonly changes: readonly Draft[] } {
  const prepared = prepare(install, NO_TOKEN);
  return { ...prepared, changes: prepared.drafts.changes() };
}

/** Writes a client's settings, a backup of what was there, and the receipt that leads back. */
export async function installClient(install: ClientInstall): Promise<Prepared & { readonly receipt: Receipt }> {
  prepare(install, NO_TOKEN); // nothing is made for a client whose files cannot be changed
  return await withReceiptsLocked(install.config.dataDir, () => writeInstall(install));
}

async function writeInstall(install: ClientInstall): Promise<Prepared & { readonly receipt: Receipt }> {
  const { host, config, client, isDefault } = install;
  const { dataDir } = config;
  const { recipe: shown } = prepare(install, NO_TOKEN);
  const token = shown.door === undefined ? null : clientTokenName(client);
  const prepared = prepare(install, token === null ? NO_TOKEN : await ensureClientToken(dataDir, token));
  const { recipe, drafts, planned } = prepared;
  const previous = readReceipt(dataDir, client);
  const url = gatewayUrl(host, config);
  const receipt: Receipt = {
    version: 1,
    client,
    name: recipe.name,
    installedAt: Date.now(),
    caret: version,
    url: recipe.door === undefined ? null : url,
    door: recipe.door ?? null,
    token,
    isDefault,
    files: backUp(dataDir, client, planned),
    directories: [...(previous?.directories ?? [])],
  };
  // Before the files: what is half written can be taken back. The former receipt leads back until this one is there.
  writeReceipt(dataDir, receipt);
  if (previous !== undefined) removeBackups(previous);
  const made = drafts.commit();
  const complete = { ...receipt, directories: [...receipt.directories, ...made] };
  writeReceipt(dataDir, complete);
  // The client's file names this port: the next gateway has to listen there.
  if (recipe.door !== undefined) keepPort(dataDir, Number(new URL(url).port) || config.server.port);
  return { ...prepared, receipt: complete };
}

function prepare({ host, config, client, isDefault }: ClientInstall, token: string): Prepared {
  const { dataDir } = config;
  const recipe = clientRecipe(client, { url: gatewayUrl(host, config), token, dataDir, host });
  const { installation } = recipe;
  if (installation === undefined)
    throw new CaretError("invalid-request", `${recipe.name} has no settings that could be written`, {
      fix: `\`caret connect ${client}\` prints what to do.`,
    });
  if (isDefault && installation.defaults === undefined)
    throw new CaretError("invalid-request", `${recipe.name} has no setting that would make Caret its default`, {
      fix: `Install it without \`--default\`, and start it with: ${installation.start}`,
    });
  requirePart(recipe, installation.needs);
  const drafts = new FileDrafts();
  const previous = readReceipt(dataDir, client);
  if (previous !== undefined) undoInstall(drafts, previous);
  const pathOf = (file: Parameters<typeof clientPath>[0]): string => clientPath(file, { ...host, dataDir });
  return { recipe, installation, drafts, planned: planInstall(drafts, { installation, isDefault, pathOf }) };
}

function backUp(dataDir: string, client: string, planned: readonly PlannedFile[]): Receipt["files"] {
  return planned.map(({ before, ...file }) => {
    if (before === undefined) return { ...file, backup: null };
    const backup = join(receiptDirectory(dataDir), `${client}-${randomUUID()}.backup`);
    writePrivateFile(backup, before);
    return { ...file, backup };
  });
}
