import { type Recipe, recipes, TERMINAL } from "@caret/protocol/recipes";
import type { Command } from "commander";
import { addConfigFlags, loadHostConfig } from "../../config/config-flags.ts";
import type { Config } from "../../config/config-schema.ts";
import { readLockFile } from "../../gateway/gateway-lock.ts";
import { gatewayUrl } from "../../gateway/gateway-url.ts";
import { withKeptPort } from "../../gateway/kept-port.ts";
import type { ExitCode, Host } from "../../host/host.ts";
import { NO_TOKEN, unknownClient } from "../../install/client-recipe.ts";
import { hostLook, type Look } from "../../terminal/look.ts";
import { printJson, printLines, write } from "../../terminal/print.ts";
import { tableLines } from "../../terminal/table-lines.ts";
import { createToken } from "../../tokens/change-tokens.ts";

interface ConnectOptions {
  /** Name of a token to create. */
  readonly token?: string;
  readonly json?: boolean;
}

export function addConnectCommand(program: Command, host: Host, done: (code: ExitCode) => void): void {
  const command = program
    .command("connect")
    .description("how to make a client use this gateway: what to put where")
    .argument("[client]", "which one; without it: the clients that have a recipe")
    .option("--token <name>", "make a token of this name and put it into the recipe")
    .option("--json", "print JSON");
  addConfigFlags(command).action(async (client: string | undefined, options: ConnectOptions) =>
    done(await connect(host, client, options)),
  );
}

async function connect(host: Host, client: string | undefined, options: ConnectOptions): Promise<ExitCode> {
  const { config } = withKeptPort(loadHostConfig(host, { ...options }));
  const url = await shownUrl(host, config);
  const listed = recipes({ url, token: NO_TOKEN });
  if (client === undefined) return await list(host, listed, options);
  const known = listed.find(({ id }) => id === client);
  if (known === undefined) return unknownClient(client, listed);
  // Only now, so a mistyped client name does not create a token.
  const token = options.token === undefined ? NO_TOKEN : await makeToken(config, options.token);
  const recipe = recipes({ url, token }).find(({ id }) => id === client) ?? known;
  if (options.json === true) return await printJson(host, recipe);
  const code = await printLines(host, recipeLines(recipe, hostLook(host)));
  if (token === NO_TOKEN && recipe.door !== undefined)
    await write(
      host.stderr,
      `caret: put a token in place of ${NO_TOKEN}: \`caret connect ${client} --token ${client}\`\n`,
    );
  return code;
}

/** URL of the running gateway, else of the one the settings describe. */
async function shownUrl(host: Host, config: Config): Promise<string> {
  if (readLockFile(config.dataDir, host.uid) === undefined)
    await write(host.stderr, "caret: no gateway runs; this is where `caret serve` will listen\n");
  return gatewayUrl(host, config);
}

async function makeToken({ dataDir }: Config, name: string): Promise<string> {
  const { secret } = await createToken(dataDir, { name, scopes: ["turns", "models"] });
  return secret.reveal();
}

async function list(host: Host, listed: readonly Recipe[], { json }: ConnectOptions): Promise<ExitCode> {
  if (json === true)
    return await printJson(
      host,
      listed.map(({ id, name, about, door }) => ({ id, name, about, door })),
    );
  const head = [{ title: "client" }, { title: "name" }, { title: "about", cut: "end" }] as const;
  return await printLines(
    host,
    tableLines(
      head,
      listed.map(({ id, name, about }) => [id, name, about]),
      hostLook(host),
    ),
  );
}

function recipeLines({ name, about, parts }: Recipe, { style }: Look): readonly string[] {
  const titled = parts.flatMap(({ target, text }) => [
    "",
    style.bold(target === TERMINAL ? "In a terminal:" : `In ${target}:`),
    "",
    ...text.split("\n"),
  ]);
  return [`${name}: ${about}`, ...titled];
}
