import { chmodSync, existsSync, statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { type Installation, isOwnFile } from "@caret/protocol/recipes";
import { valueAt } from "../config/setting-value.ts";
import type { Host } from "../host/host.ts";
import { clientPath } from "../install/client-path.ts";
import { clientRecipe, NO_TOKEN } from "../install/client-recipe.ts";
import { readRegularFile } from "../install/read-regular-file.ts";
import type { Receipt } from "../install/receipt.ts";
import { parseSettings } from "../install/settings-editors.ts";
import { clientTokenPath } from "../tokens/client-token.ts";
import type { Finding } from "./finding.ts";
import { sameOrigin } from "./same-origin.ts";

const PRIVATE = 0o600;

export interface InstalledClients {
  readonly host: Host;
  readonly dataDir: string;
  readonly gatewayUrl: string;
}

/** Whether an installed client, by its current file, still finds the gateway, its token and its program. */
export function checkInstalled(receipt: Receipt, clients: InstalledClients): readonly Finding[] {
  const { host, dataDir, gatewayUrl: url } = clients;
  const { installation } = clientRecipe(receipt.client, { url, token: NO_TOKEN, dataDir, host });
  if (installation === undefined) return [];
  const settings = readSettings(receipt);
  return [
    ...secretFile(receipt, installation, clients),
    ...(settings === undefined ? [] : [...address(receipt, installation, { settings, url })]),
    ...(settings === undefined ? [] : [...program(receipt, installation, settings)]),
    ...keptSecret(receipt, installation, dataDir),
  ];
}

/** Undefined if the file is missing or unreadable: the receipt's check reports that. */
function readSettings({ files }: Receipt): unknown {
  const [file] = files;
  if (file === undefined || !existsSync(file.path)) return undefined;
  try {
    return parseSettings(file.format, readRegularFile(file.path).toString("utf8"));
  } catch {
    return undefined;
  }
}

function address(
  { client, files }: Receipt,
  { access }: Installation,
  { settings, url }: { readonly settings: unknown; readonly url: string },
): readonly Finding[] {
  const written = access === undefined ? undefined : valueAt(settings, access.url);
  if (typeof written !== "string" || sameOrigin(written, url)) return [];
  const detail = `${files[0]?.path} names ${written}, and the gateway is at ${url}`;
  return [{ check: `${client} address`, state: "fail", detail, fix: `caret install ${client}` }];
}

/** For clients that start Caret: an update or a cleaned cache may have moved what their file names. */
function program(
  { client, files }: Receipt,
  { program: started }: Installation,
  settings: unknown,
): readonly Finding[] {
  const words = (started?.words ?? []).flatMap((path) => valueAt(settings, path) as string | readonly string[]);
  // The program and the script it runs; further words are arguments of the script.
  const gone = words.slice(0, 2).find((word) => typeof word === "string" && isAbsolute(word) && !existsSync(word));
  if (gone === undefined) return [];
  const detail = `${files[0]?.path} starts ${gone}, which is gone`;
  return [{ check: `${client} program`, state: "fail", detail, fix: `caret install ${client}` }];
}

/** Clients without the token in their file read it from this one. */
function keptSecret(
  { client, token, door }: Receipt,
  { access, files }: Installation,
  dataDir: string,
): readonly Finding[] {
  const isRead =
    access === undefined ? files.some(({ format }) => format === "variables") : access.token.form !== "value";
  if (token === null || door === null || !isRead || existsSync(clientTokenPath(dataDir, token))) return [];
  const detail = `${clientTokenPath(dataDir, token)} is gone, from which ${client} reads its token`;
  return [{ check: `${client} token`, state: "fail", detail, fix: `caret install ${client}` }];
}

/** A client's file that must hold the token; Windows has no such permissions. */
function secretFile(
  { client }: Receipt,
  { files }: Installation,
  { host, dataDir }: InstalledClients,
): readonly Finding[] {
  const holding = files.filter((file) => !isOwnFile(file) && file.hasToken === true);
  const open = holding
    .map((file) => clientPath(file, { ...host, dataDir }))
    .filter((path) => ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0);
  if (host.uid === undefined || open.length === 0) return [];
  return [
    {
      check: `${client} secret`,
      state: "fail",
      detail: `other users may open ${open.join(", ")}, which holds the client's token`,
      fix: `chmod 600 ${open.join(" ")}`,
      mend: () => {
        for (const path of open) chmodSync(path, PRIVATE);
      },
    },
  ];
}
