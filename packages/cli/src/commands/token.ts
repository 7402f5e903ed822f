import { statSync } from "node:fs";
import { CaretError, type TokenScope, tokenScopes } from "@caret/protocol";
import { type Command, Option } from "commander";
import { absolutePath } from "../config/config-paths.ts";
import type { ExitCode, Host } from "../host.ts";
import { ageText } from "../terminal/amount-text.ts";
import { hostLook } from "../terminal/look.ts";
import { tableLines } from "../terminal/table-lines.ts";
import { createToken, revokeToken } from "../tokens/change-tokens.ts";
import { readClientToken } from "../tokens/client-token.ts";
import { readTokenFile, type TokenEntry } from "../tokens/token-file.ts";
import { readTokenUses } from "../tokens/token-uses.ts";
import { addConfigFlags, loadHostConfig } from "./config-flags.ts";
import { printJson, printLines, write } from "./print.ts";

interface TokenOptions {
  readonly json?: boolean;
}

interface CreateOptions extends TokenOptions {
  readonly scope?: readonly TokenScope[];
  readonly workspace?: string;
}

const DEFAULT_SCOPES: readonly TokenScope[] = ["turns", "models"];

export function addTokenCommand(program: Command, host: Host, done: (code: ExitCode) => void): void {
  const token = program.command("token").description("the tokens that let clients in at the gateway");
  finish(token.command("create").description("create a token and print its secret, this one time"))
    .argument("<name>", "what to call it")
    .addOption(new Option("--scope <scope...>", "what it may do (default: turns models)").choices(tokenScopes))
    .option("-w, --workspace <dir>", "the only directory its turns may work in")
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
  return addConfigFlags(command.option("--json", "print JSON"));
}

async function create(host: Host, name: string, options: CreateOptions): Promise<ExitCode> {
  const { dataDir } = loadHostConfig(host, { ...options }).config;
  const workspace = options.workspace === undefined ? {} : { workspace: boundTo(host, options.workspace) };
  const scopes = options.scope ?? DEFAULT_SCOPES;
  const { entry, secret } = await createToken(dataDir, { name, scopes, ...workspace });
  if (options.json === true) return await printJson(host, { ...shown(entry, undefined), secret: secret.reveal() });
  // The secret alone on standard output, so that it can be piped to where it belongs.
  await write(host.stderr, `caret: this is the only time that the secret of ${name} is shown\n`);
  return await printLines(host, [secret.reveal()]);
}

function boundTo(host: Host, directory: string): string {
  const path = absolutePath(directory, { ...host, base: host.cwd });
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return path;
  throw new CaretError("workspace-missing", `There is no directory ${path}`);
}

async function list(host: Host, options: TokenOptions): Promise<ExitCode> {
  const { dataDir } = loadHostConfig(host, { ...options }).config;
  const uses = readTokenUses(dataDir);
  const tokens = readTokenFile(dataDir).map((entry) => shown(entry, uses[entry.name]));
  if (options.json === true) return await printJson(host, tokens);
  if (tokens.length === 0)
    return await printLines(host, ["There are no tokens. `caret token create <name>` makes one."]);
  const rows = tokens.map(({ name, scopes, workspace, createdAt, lastUsedAt, revokedAt }) => [
    name,
    scopes.join(" "),
    ageText(createdAt, Date.now()),
    lastUsedAt === null ? "never" : ageText(lastUsedAt, Date.now()),
    workspace ?? "",
    revokedAt === null ? "" : `revoked ${ageText(revokedAt, Date.now())}`,
  ]);
  return await printLines(host, tableLines(head, rows, hostLook(host)));
}

const head = [
  { title: "name" },
  { title: "scopes" },
  { title: "created" },
  { title: "used" },
  { title: "workspace", cut: "middle" },
  { title: "state" },
] as const;

async function revoke(host: Host, name: string, options: TokenOptions): Promise<ExitCode> {
  const { dataDir } = loadHostConfig(host, { ...options }).config;
  const entry = await revokeToken(dataDir, name);
  if (options.json === true) return await printJson(host, shown(entry, readTokenUses(dataDir)[name]));
  return await printLines(host, [`The token ${name} is revoked.`]);
}

async function printSecret(host: Host, name: string, options: TokenOptions): Promise<ExitCode> {
  const secret = readClientToken(loadHostConfig(host, { ...options }).config.dataDir, name);
  return await (options.json === true ? printJson(host, { name, secret }) : printLines(host, [secret]));
}

/** The published shape; see docs/commands.md. */
function shown({ name, scopes, workspace, createdAt, revokedAt }: TokenEntry, lastUsedAt: number | undefined) {
  return {
    name,
    scopes,
    workspace: workspace ?? null,
    createdAt,
    lastUsedAt: lastUsedAt ?? null,
    revokedAt: revokedAt ?? null,
  };
}
