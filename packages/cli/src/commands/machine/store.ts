import type { CopiedStore, StoreReport } from "@caret/fleet";
import { CaretError } from "@caret/protocol";
import type { Command } from "commander";
import { addConfigFlags, loadHostConfig } from "../../config/config-flags.ts";
import { type ExitCode, exitCodes, type Host } from "../../host/host.ts";
import { initStorePlace, openStorePlace } from "../../store/store-places.ts";
import { printJson, printLines, write } from "../../terminal/print.ts";
import { withProgress } from "../../terminal/progress.ts";

interface StoreOptions {
  readonly json?: boolean;
}

interface MigrateOptions extends StoreOptions {
  readonly from: string;
  readonly to: string;
}

interface VerifyOptions extends StoreOptions {
  readonly against?: string;
}

const PLACES = "`local`, `store`, a data directory or a postgres:// address";

export function addStoreCommand(program: Command, host: Host, done: (code: ExitCode) => void): void {
  const store = program.command("store").description("where sessions are kept: a data directory, or PostgreSQL");
  finish(store.command("migrate").description("copy all sessions from one store to another, and compare them"))
    .requiredOption("--from <place>", PLACES)
    .requiredOption("--to <place>", PLACES)
    .action(async (options: MigrateOptions) => done(await migrate(host, options)));
  finish(store.command("verify").description("read everything in a store, and say what it amounts to"))
    .argument("[place]", `${PLACES} (default: \`store\` where the settings name one, else \`local\`)`)
    .option("--against <place>", "another store, which must have the same sessions")
    .action(async (place: string | undefined, options: VerifyOptions) => done(await verify(host, place, options)));
  finish(store.command("init").description("make or update the tables of the database"))
    .argument("[place]", "`store` or a postgres:// address", "store")
    .action(async (place: string, options: StoreOptions) => done(await init(host, place, options)));
  finish(store.command("roles").description("print the SQL that makes roles for owner, gateways and workers"))
    .requiredOption("--print", "print it; an administrator of the database runs it")
    .action(async (options: StoreOptions) => done(await printRoles(host, options)));
}

function finish(command: Command): Command {
  return addConfigFlags(command.option("--json", "print JSON"));
}

async function migrate(host: Host, options: MigrateOptions): Promise<ExitCode> {
  const { copyStore } = await import("@caret/fleet");
  const { config } = loadHostConfig(host, { ...options });
  return await withStores(host, config, { read: [options.from], written: [options.to] }, async ([from, to]) => {
    if (from === undefined || to === undefined) throw new CaretError("internal", "A copy has two stores");
    const report = await copyStore(from, to, ({ sessionId, done, total, events, isOld }) => {
      const what = isOld ? "was there already" : `${events} events`;
      if (options.json !== true) host.stderr.write(`${done}/${total} ${sessionId}: ${what}\n`);
    });
    if (options.json === true) return await printJson(host, { from: from.place, to: to.place, ...report });
    const { sessions, found, events } = report;
    const before = found === 0 ? "" : `, ${found} of them by an earlier copy`;
    return await printLines(host, [
      `Copied ${sessions} sessions with ${events} events from ${from.place} to ${to.place}${before}. All are the same in both.`,
    ]);
  });
}

async function verify(host: Host, named: string | undefined, options: VerifyOptions): Promise<ExitCode> {
  const { verifyStore } = await import("@caret/fleet");
  const { config } = loadHostConfig(host, { ...options });
  const place = named ?? (config.store === undefined ? "local" : "store");
  const places = [place, ...(options.against === undefined ? [] : [options.against])];
  return await withStores(host, config, { read: places, written: [] }, async (stores) => {
    const reports: StoreReport[] = [];
    for (const store of stores) reports.push(await withProgress(host, "Reading a store", () => verifyStore(store)));
    const isSound = reports.every(({ gaps, sha256 }) => gaps.length === 0 && sha256 === reports[0]?.sha256);
    if (options.json === true) await printJson(host, options.against === undefined ? reports[0] : reports);
    else await printLines(host, reports.flatMap(reportLines));
    if (!isSound) await write(host.stderr, "caret: events are missing, or the stores differ\n");
    return isSound ? exitCodes.completed : exitCodes.failed;
  });
}

function reportLines(report: StoreReport): readonly string[] {
  const { place, sessions, events, transcripts, gaps, agents, messages, sha256 } = report;
  return [
    `${place}: ${sessions} sessions, ${events} events, ${transcripts} transcripts, ${agents} agents, ${messages} messages`,
    `  sha256 of all sessions ${sha256}`,
    ...gaps.map(({ sessionId, seq }) => `  the session ${sessionId} lacks its event ${seq}`),
  ];
}

async function init(host: Host, place: string, options: StoreOptions): Promise<ExitCode> {
  const { config } = loadHostConfig(host, { ...options });
  const made = await initStorePlace(config, place);
  if (options.json === true) return await printJson(host, { place: made });
  return await printLines(host, [`The tables in ${made} are up to date.`]);
}

async function printRoles(host: Host, options: StoreOptions): Promise<ExitCode> {
  const { readDatabaseAddress, roleGrants } = await import("@caret/fleet");
  const { store } = loadHostConfig(host, { ...options }).config;
  const { schema } = readDatabaseAddress(store ?? "postgres://localhost/caret");
  const sql = roleGrants(schema);
  return options.json === true ? await printJson(host, { schema, sql }) : await printLines(host, [sql.trimEnd()]);
}

/** Opens the stores one by one; closes all that were opened. */
async function withStores(
  host: Host,
  config: ReturnType<typeof loadHostConfig>["config"],
  { read, written }: { readonly read: readonly string[]; readonly written: readonly string[] },
  work: (stores: readonly CopiedStore[]) => Promise<ExitCode>,
): Promise<ExitCode> {
  const stores: CopiedStore[] = [];
  try {
    for (const place of read) stores.push(await openStorePlace(host, config, place, { isRead: true }));
    for (const place of written) stores.push(await openStorePlace(host, config, place, { isRead: false }));
    return await work(stores);
  } finally {
    for (const store of stores) await store.close();
  }
}
