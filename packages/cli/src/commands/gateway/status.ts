import { allTokens, costCell, formatTokens, spendWords, totalUsage, type UsageTotals } from "@caret/protocol";
import { toUsageDay } from "@caret/runtime";
import type { Command } from "commander";
import { addConfigFlags } from "../../config/config-flags.ts";
import type { Config } from "../../config/config-schema.ts";
import { controlAccess } from "../../credentials/control-access.ts";
import { credentialWorlds } from "../../credentials/credential-worlds.ts";
import { answers } from "../../gateway/find-gateway.ts";
import { readLockFile } from "../../gateway/gateway-lock.ts";
import type { ExitCode, Host } from "../../host/host.ts";
import { version } from "../../host/program.ts";
import { readReceipts } from "../../install/receipt.ts";
import { clientLists } from "../../models/client-list.ts";
import { findClientList } from "../../models/find-client-list.ts";
import { type LogWork, withLog } from "../../store/log-work.ts";
import { hostLook } from "../../terminal/look.ts";
import { printJson, printLines } from "../../terminal/print.ts";
import { cleanLine } from "../../terminal/text-cleaner.ts";
import { wrapText } from "../../terminal/word-wrap.ts";

interface StatusOptions {
  readonly json?: boolean;
}

export function addStatusCommand(program: Command, host: Host, done: (code: ExitCode) => void): void {
  const command = program
    .command("status")
    .description("what runs, with what, and what it has used today, on one screen")
    .option("--json", "print JSON");
  addConfigFlags(command).action(async (options: StatusOptions) =>
    done(await withLog(host, { ...options }, (work) => showStatus(work, options))),
  );
}

/** The published shape; see docs/commands.md. Starts no agent. */
interface Status {
  readonly version: string;
  readonly gateway: {
    readonly url: string;
    readonly version: string;
    readonly pid: number;
    readonly answers: boolean;
  } | null;
  readonly lane: string;
  readonly model: string;
  readonly sessions: number;
  readonly runningTurns: number;
  readonly today: UsageTotals;
  /** Where credentials were found; `caret auth --check` tests them. */
  readonly credentials: readonly string[];
  /** Clients that `caret install` has set up, or whose settings name Caret. */
  readonly clients: readonly string[];
  readonly dataDir: string;
}

async function showStatus(work: LogWork, { json }: StatusOptions): Promise<ExitCode> {
  const status = await readStatus(work);
  if (json === true) return await printJson(work.host, status);
  return await printLines(work.host, statusLines(status, work.host));
}

async function readStatus({ host, config, store }: LogWork): Promise<Status> {
  const rows = await store.usageByDay({ from: toUsageDay(Date.now()) });
  return {
    version,
    gateway: await readGateway(host, config),
    lane: config.lane,
    model: config.model,
    sessions: (await store.sessionIds()).length,
    runningTurns: (await store.runningTurns()).filter(({ owner }) => store.isOwnerAlive(owner)).length,
    today: totalUsage(rows.map(({ model = "unknown", ...row }) => ({ ...row, model }))),
    credentials: foundCredentials(host, config),
    clients: configuredClients(host, config),
    dataDir: config.dataDir,
  };
}

async function readGateway({ uid }: Host, { dataDir }: Config): Promise<Status["gateway"]> {
  const lock = readLockFile(dataDir, uid);
  if (lock === undefined) return null;
  return { url: lock.url, version: lock.version, pid: lock.pid, answers: await answers(lock, fetch) };
}

function foundCredentials(host: Host, config: Config): readonly string[] {
  const { origin } = controlAccess(host, config).controlUrl;
  return credentialWorlds(host, config, { origin, now: Date.now })
    .filter(({ isFound }) => isFound === true)
    .map(({ place }) => place);
}

function configuredClients(host: Host, { dataDir }: Config): readonly string[] {
  const installed = ifReadable(() => readReceipts(dataDir)) ?? [];
  const listing = clientLists.filter((client) => ifReadable(() => findClientList(host, client)) !== undefined);
  return [...new Set([...installed.map(({ client }) => client), ...listing.map(({ id }) => id)])];
}

function ifReadable<Content>(read: () => Content): Content | undefined {
  try {
    return read();
  } catch {
    return undefined; // a file that does not parse sets nothing up; `caret doctor` reports it
  }
}

function statusLines(status: Status, host: Host): readonly string[] {
  const look = hostLook(host);
  const { style, glyphs } = look;
  const { today } = status;
  const turns = `${today.turns} turns, ${formatTokens(allTokens(today))} tokens, ${costCell(today)}`;
  const rows: readonly (readonly [string, string])[] = [
    ["gateway", gatewayWords(status, host.command)],
    ["lane", status.lane],
    ["model", [status.model, ...spendWords(status.model)].join(` ${glyphs.separator} `)],
    ["sessions", `${status.sessions}, ${status.runningTurns} at work`],
    ["today", turns],
    ["credentials", status.credentials.join(", ") || `none found; ${host.command} auth lists where they may be`],
    ["clients", status.clients.join(", ") || `none; ${host.command} install sets one up`],
    ["data", status.dataDir],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  return [
    `Caret ${status.version}`,
    ...rows.flatMap(([name, words]) =>
      wrapText(
        cleanLine(words),
        { first: `  ${style.dim(name.padEnd(width))}  `, indent: " ".repeat(width + 4) },
        look,
      ),
    ),
    style.dim(`${host.command} doctor checks all of it.`),
  ];
}

function gatewayWords({ gateway, version: own }: Status, command: string): string {
  if (gateway === null) return `none runs; ${command} serve starts one`;
  const other = gateway.version === own ? "" : `, of version ${gateway.version}`;
  return gateway.answers ? `${gateway.url}, pid ${gateway.pid}${other}` : `${gateway.url} does not answer`;
}
