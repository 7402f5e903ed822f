import { CaretError } from "@caret/protocol";
import { type Recipe, TERMINAL } from "@caret/protocol/recipes";
import type { Command } from "commander";
import { addConfigFlags, loadHostConfig } from "../../config/config-flags.ts";
import { gatewayUrl } from "../../gateway/gateway-url.ts";
import { withKeptPort } from "../../gateway/kept-port.ts";
import type { ExitCode, Host } from "../../host/host.ts";
import { clientRecipe, NO_TOKEN, requirePart } from "../../install/client-recipe.ts";
import { launchClient } from "../../install/launch-client.ts";
import { connectGateway } from "../../serve/connect-gateway.ts";
import { write } from "../../terminal/print.ts";
import { ensureClientToken, launchTokenName } from "../../tokens/client-token.ts";

type LaunchOptions = Readonly<Record<string, unknown>>;

export function addLaunchCommand(program: Command, host: Host, done: (code: ExitCode) => void): void {
  // Options after the client's name belong to the client.
  program.enablePositionalOptions();
  const command = program
    .command("launch")
    .description("start a client against the gateway, without writing to its files")
    .argument("<client>", "which one; `caret connect` lists them")
    .argument("[args...]", "what the client is given")
    .passThroughOptions();
  addConfigFlags(command).action(async (client: string, args: readonly string[], options: LaunchOptions) =>
    done(await launch(host, client, { args, options })),
  );
}

async function launch(
  host: Host,
  client: string,
  { args, options }: { readonly args: readonly string[]; readonly options: LaunchOptions },
): Promise<ExitCode> {
  const loaded = withKeptPort(loadHostConfig(host, options));
  const { dataDir } = loaded.config;
  const known = clientRecipe(client, { url: gatewayUrl(host, loaded.config), token: NO_TOKEN, dataDir, host });
  if (known.launch === undefined) throw notLaunched(client, known);
  requirePart(known, known.launch.needs);
  const connection = await connectGateway(host, loaded, { workspace: host.cwd });
  try {
    if (connection.startedBecause !== undefined)
      await write(
        host.stderr,
        `caret: a gateway at ${connection.url} runs as long as ${known.name}: ${connection.startedBecause}\n`,
      );
    const token = await ensureClientToken(dataDir, launchTokenName(client));
    const values = { url: connection.url.replace(/\/$/, ""), token, dataDir, host };
    const recipe = clientRecipe(client, values).launch ?? known.launch;
    return await launchClient({ host, launch: recipe, args });
  } finally {
    await connection.close();
  }
}

/** A terminal program configured only by its own files: install it, then start it by its own name. */
function notLaunched(client: string, { name, parts, installation }: Recipe): CaretError {
  const typed = parts.find(({ target }) => target === TERMINAL)?.text;
  const own = typed === undefined ? undefined : (installation?.start ?? typed);
  if (own === undefined || own.includes("\n"))
    return new CaretError("invalid-request", `${name} is not started from a terminal`, {
      fix: `\`caret connect ${client}\` prints how to set it up.`,
    });
  const written =
    installation === undefined ? `Write what \`caret connect ${client}\` prints` : `Run \`caret install ${client}\``;
  return new CaretError(
    "invalid-request",
    `${name} takes its settings from its own files only: \`launch\` cannot give it any`,
    {
      fix: `${written}, then start it: \`${own}\`.`,
    },
  );
}
