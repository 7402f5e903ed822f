import { existsSync } from "node:fs";
import { CaretError } from "@caret/protocol";
import { valueAt } from "../config/setting-value.ts";
import { readRegularFile } from "../install/read-regular-file.ts";
import { type Receipt, type ReceiptFile, readReceipts } from "../install/receipt.ts";
import { parseSettings } from "../install/settings-editors.ts";
import { readTokenFile } from "../tokens/token-file.ts";
import type { Finding } from "./finding.ts";
import { checkInstalled, type InstalledClients } from "./installed-checks.ts";
import { sameOrigin } from "./same-origin.ts";

/** Whether the settings that `caret install` wrote for each client still exist and still lead here. */
export function checkReceipts(clients: InstalledClients): readonly Finding[] {
  const { dataDir, gatewayUrl } = clients;
  try {
    return readReceipts(dataDir).flatMap((receipt) => [
      ...checkInstalled(receipt, clients),
      ...receipt.files.flatMap((file) => checkFile(receipt, file)),
      ...address(receipt, gatewayUrl),
      ...token(receipt, dataDir),
    ]);
  } catch (reason) {
    const { message, fix } = CaretError.from(reason);
    return [{ check: "receipts", state: "fail", detail: message, fix }];
  }
}

function checkFile({ client }: Receipt, { path, format, settings }: ReceiptFile): readonly Finding[] {
  const fix = `caret install ${client}`;
  if (!existsSync(path)) return [{ check: `${client} settings`, state: "fail", detail: `${path} is gone`, fix }];
  try {
    const content = parseSettings(format, readRegularFile(path).toString("utf8"));
    const missing = settings.filter(
      ({ value, isSynced, path: at }) => value !== undefined && isSynced !== true && valueAt(content, at) === undefined,
    );
    if (missing.length === 0) return [];
    return [{ check: `${client} provider`, state: "fail", detail: `${path} does not name Caret any more`, fix }];
  } catch (reason) {
    const why = reason instanceof Error ? reason.message : String(reason);
    const detail = `${path} cannot be read: ${why}`;
    return [{ check: `${client} settings`, state: "fail", detail, fix: `Correct ${path}, then run \`${fix}\`.` }];
  }
}

function address({ client, url }: Receipt, gatewayUrl: string): readonly Finding[] {
  if (url === null || sameOrigin(url, gatewayUrl)) return [];
  const detail = `${client} was installed for ${url}, and the gateway is at ${gatewayUrl}`;
  return [{ check: `${client} address`, state: "fail", detail, fix: `caret install ${client}` }];
}

/** Throws if the token file is damaged. */
function token({ client, token: name }: Receipt, dataDir: string): readonly Finding[] {
  if (name === null) return [];
  const isValid = readTokenFile(dataDir).some((entry) => entry.name === name && entry.revokedAt === undefined);
  if (isValid) return [];
  const detail = `the token ${name}, which ${client} sends, is revoked or gone`;
  return [{ check: `${client} token`, state: "fail", detail, fix: `caret install ${client}` }];
}
