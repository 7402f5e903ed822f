import { statSync } from "node:fs";
import { CaretError, type TokenScope, tokenScopes } from "@caret/protocol";
import type { TokenEntry } from "@caret/runtime";
import { type Command, Option } from "commander";
import { addConfigFlags, loadHostConfig } from "../../config/config-flags.ts";
import { absolutePath } from "../../config/config-paths.ts";
import type { Config } from "../../config/config-schema.ts";
import type { ExitCode, Host } from "../../host/host.ts";
import { ageText } from "../../terminal/amount-text.ts";
import { hostLook } from "../../terminal/look.ts";
import { printJson, printLines, write } from "../../terminal/print.ts";
import { tableLines } from "../../terminal/table-lines.ts";
import { createToken, revokeToken } from "../../tokens/change-tokens.ts";
import { readClientToken } from "../../tokens/client-token.ts";
import { withTokens } from "../../tokens/with-tokens.ts";

interface TokenOptions {
  readonly json?: boolean;
  /** Use the fleet's database instead of the data directory: the configured one, or the one at this address. */
  readonly store?: string | true;
}

interface CreateOptions extends TokenOptions {
  readonly scope?: readonly TokenScope[];
  readonly workspace?: string;
  readonly user?: string;
  readonly team?: string;
  readonly admin?: boolean;
}

const DEFAULT_SCOPES: readonly TokenScope[] = ["turns", "models"];

export function addTokenCommand(program: Command, host: Host, done: (code: ExitCode) => void): void {
  const token = program.command("token").description("the tokens that let clients in at the gateway");
  finish(token.command("create").description("create a token and print its secret, this one time"))
    .argument("<name>", "what to call it")
    .addOption(new Option("--scope <scope...>", "what it may do (default: turns models)").choices(tokenScopes))
    .option("-w, --workspace <dir>", "the only directory its turns may work in")
    .option("--user <name>", "the user it belongs to, who sees only what is their own")
    .option("--team <name>", "the team that the user works for; its quota counts too")
    .option("--admin", "an administrator's: the scope admin, and it sees what every user has")
    .action(async (name: string, options: CreateOptions) => done(await create(host, name, options)));
  finish(token.command("ls").description("list the tokens")).action(async (options: TokenOptions) =>
    done(await list(host, options)),
  );
  finish(token.command("print").description("print the secret of an installed client's token, for the client"))
    .argument("<name>", "which one")
    .action(async (name: string, options: TokenOptions) => done(await printSecret(host, name, options)));
  finish(token.command("revoke").description("revoke a token, at once"))
    .argument("<name>", "which one")
    .action(async (name: string, options: TokenOptions) => done(await revoke(host, name, options)));
}

function finish(command: Command): Command {
  const kept = command.option("--store [address]", "in the fleet's database, where every gateway knows it");
  return addConfigFlags(kept.option("--json", "print JSON"));
}

async function create(host: Host, name: string, options: CreateOptions): Promise<ExitCode> {
  const { config } = loadHostConfig(host, settingsOf(options));
  const workspace = options.workspace === undefined ? {} : { workspace: boundTo(host, options.workspace) };
  const wanted = { name, scopes: scopesOf(options), user: options.user, team: options.team, ...workspace };
  const { entry, secret } = await withTokens(config, options.store !== undefined, ({ shelf }) =>
    createToken(shelf, { ...wanted, ...(options.admin === true ? { seesAll: true } : {}) }),
  );
  if (options.json === true) return await printJson(host, { ...shown(entry, undefined), secret: secret.reveal() });
  // Only the secret on standard output, so it can be piped.
  await write(host.stderr, `caret: this is the only time that the secret of ${name} is shown\n`);
  return await printLines(host, [secret.reveal()]);
}

/** Converts flags to settings: `--store` without an address means the configured store. */
function settingsOf({ store, ...flags }: TokenOptions): Record<string, unknown> {
  return store === undefined || store === true ? flags : { ...flags, store };
}

function scopesOf({ scope, admin }: CreateOptions): readonly TokenScope[] {
  if (admin !== true) return scope ?? DEFAULT_SCOPES;
  return [...new Set<TokenScope>([...(scope ?? []), "admin"])];
}

function boundTo(host: Host, directory: string): string {
  const path = absolutePath(directory, { ...host, base: host.cwd });
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return path;
  throw new CaretError("workspace-missing", `There is no directory ${path}`);
}

async function list(host: Host, options: TokenOptions): Promise<ExitCode> {
  const { config } = loadHostConfig(host, settingsOf(options));
  const tokens = await withTokens(config, options.store !== undefined, async ({ shelf, uses }) => {
    const used = await uses();
    return (await shelf.list()).map((entry) => shown(entry, used[entry.name]));
  });
  if (options.json === true) return await printJson(host, tokens);
  if (tokens.length === 0)
    return await printLines(host, ["There are no tokens. `caret token create <name>` makes one."]);
  const rows = tokens.map(
    ({ name, scopes, user, team, seesAll, workspace, madeBy, createdAt, lastUsedAt, revokedAt }) => [
      name,
      [...scopes, ...(seesAll ? ["(sees all users)"] : [])].join(" "),
      [user ?? "", ...(team === null ? [] : [`(${team})`])].join(" "),
      madeBy ?? "",
      ageText(createdAt, Date.now()),
      lastUsedAt === null ? "never" : ageText(lastUsedAt, Date.now()),
      workspace ?? "",
      revokedAt === null ? "" : `revoked ${ageText(revokedAt, Date.now())}`,
    ],
  );
  return await printLines(host, tableLines(head, rows, hostLook(host)));
}

const head = [
  { title: "name" },
  { title: "scopes" },
  { title: "user" },
  { title: "made by" },
  { title: "created" },
  { title: "used" },
  { title: "workspace", cut: "middle" },
  { title: "state" },
] as const;

async function revoke(host: Host, name: string, options: TokenOptions): Promise<ExitCode> {
  const { config } = loadHostConfig(host, settingsOf(options));
  const revoked = await withTokens(config, options.store !== undefined, async ({ shelf, uses }) => {
    const [entry, ...made] = await revokeToken(shelf, name);
    return { token: shown(entry, (await uses())[name]), made, digests: [entry, ...made].map(({ sha256 }) => sha256) };
  });
  const elsewhere = await revokeElsewhere(config, options, revoked.digests);
  const made = [...revoked.made, ...elsewhere].map((entry) => entry.name);
  if (options.json === true) return await printJson(host, { ...revoked.token, revokedWithIt: made });
  const more = made.length === 0 ? [] : [`Revoked with it, since it had made them: ${made.join(", ")}.`];
  return await printLines(host, [`The token ${name} is revoked.`, ...more]);
}

/** In a fleet, tokens created through this data directory's tokens are kept in the database. */
async function revokeElsewhere(
  config: Config,
  { store }: TokenOptions,
  makers: readonly string[],
): Promise<readonly TokenEntry[]> {
  if (store !== undefined || config.store === undefined) return [];
  return await withTokens(config, true, ({ shelf }) => shelf.revokeMadeBy(makers, Date.now()));
}

async function printSecret(host: Host, name: string, options: TokenOptions): Promise<ExitCode> {
  const secret = readClientToken(loadHostConfig(host, settingsOf(options)).config.dataDir, name);
  return await (options.json === true ? printJson(host, { name, secret }) : printLines(host, [secret]));
}

/** The published shape; see docs/commands.md. */
function shown(entry: TokenEntry, lastUsedAt: number | undefined) {
  const { name, scopes, user, team, seesAll, workspace, madeBy, createdAt, revokedAt } = entry;
  return {
    name,
    scopes,
    user: user ?? null,
    team: team ?? null,
    seesAll: seesAll ?? false,
    workspace: workspace ?? null,
    madeBy: madeBy?.name ?? null,
    createdAt,
    lastUsedAt: lastUsedAt ?? null,
    revokedAt: revokedAt ?? null,
  };
}
