import type { Command } from "commander";
import { addConfigFlags, loadHostConfig } from "../../config/config-flags.ts";
import type { LoadedConfig } from "../../config/load-config.ts";
import { withKeptPort } from "../../gateway/kept-port.ts";
import type { ExitCode, Host } from "../../host/host.ts";
import { inData } from "../../install/client-path.ts";
import { greetProgram } from "../../install/greet-program.ts";
import { type ClientInstall, installClient, previewInstall } from "../../install/install-client.ts";
import { type LiveTurn, liveTurn } from "../../install/live-turn.ts";
import { holdsToken, type Receipt } from "../../install/receipt.ts";
import { connectGateway } from "../../serve/connect-gateway.ts";
import { durationText } from "../../terminal/amount-text.ts";
import { printJson, printLines } from "../../terminal/print.ts";
import { withProgress } from "../../terminal/progress.ts";
import { cleanLine } from "../../terminal/text-cleaner.ts";

interface InstallOptions extends Readonly<Record<string, unknown>> {
  readonly default?: boolean;
  readonly dryRun?: boolean;
  readonly print?: boolean;
  readonly test: boolean;
  readonly json?: boolean;
}

export function addInstallCommand(program: Command, host: Host, done: (code: ExitCode) => void): void {
  const command = program
    .command("install")
    .description("write a client's settings, so that it uses this gateway")
    .argument("<client>", "which one; `caret connect` lists them")
    .option("--default", "make Caret the client's default model as well")
    .option("--dry-run", "only say which files would be written")
    .option("--print", "only print what the files would hold")
    .option("--no-test", "without the turn that tests the settings at the end")
    .option("--json", "print JSON");
  addConfigFlags(command).action(async (client: string, options: InstallOptions) =>
    done(await install(host, client, options)),
  );
}

async function install(host: Host, client: string, options: InstallOptions): Promise<ExitCode> {
  const loaded = withKeptPort(loadHostConfig(host, options));
  const { config } = loaded;
  const wanted: ClientInstall = { host, config, client, isDefault: options.default === true };
  if (options.dryRun === true || options.print === true) return await preview(host, wanted, options);
  const work = { wanted, isTested: options.test };
  const { receipt, installation, drafts, test } = await withProgress(
    host,
    options.test ? "Writing the settings, and testing them with a turn" : "Writing the settings",
    () => writeAndTest(host, loaded, work),
  );
  const { start, note } = installation;
  if (options.json === true) return await printJson(host, { ...shown(receipt), test: test ?? null });
  return await printLines(host, [
    ...receipt.files.map(({ path, backup, isOwn }) => `${backup === null || isOwn ? "wrote  " : "changed"}  ${path}`),
    ...drafts.kept.map((path) => `kept     ${path}`),
    ...(receipt.token === null ? [] : [`token    ${receipt.token}; \`${host.command} token ls\` lists it`]),
    ...secretLines(receipt),
    ...testLines(test),
    ...(note === undefined ? [] : [note]),
    "",
    `Start it:      ${inData(start, config.dataDir)}`,
    `Take it back:  ${host.command} uninstall ${client}`,
  ]);
}

async function writeAndTest(
  host: Host,
  loaded: LoadedConfig,
  { wanted, isTested }: { readonly wanted: ClientInstall; readonly isTested: boolean },
) {
  const isAsked = isTested && previewInstall(wanted).recipe.door !== undefined;
  // Before anything is written: a port already in use is no address for a client.
  const connection = isAsked ? await connectGateway(host, loaded, { keepsPort: true }) : undefined;
  try {
    const { receipt, installation, drafts } = await installClient(wanted);
    const test = isTested
      ? await testInstallation(host, { dataDir: wanted.config.dataDir, receipt, installation })
      : undefined;
    return { receipt, installation, drafts, test };
  } finally {
    await connection?.close();
  }
}

async function testInstallation(host: Host, written: Parameters<typeof liveTurn>[0]): Promise<InstallTest | undefined> {
  const { receipt, installation } = written;
  const { program } = installation;
  if (program === undefined) return await liveTurn(written);
  await greetProgram({ program, receipt, env: host.env });
  return { protocol: program.protocol };
}

/** A turn or, for clients that start Caret themselves, a greeting in their protocol. */
type InstallTest = LiveTurn | { readonly protocol: string };

function testLines(test: InstallTest | undefined): readonly string[] {
  if (test === undefined) return [];
  if ("protocol" in test) return [`tested   what the client will start answers by ${test.protocol.toUpperCase()}`];
  return [`tested   ${cleanLine(test.answer)} (${test.model}, ${durationText(test.durationMs)})`];
}

/** Lists the files that hold the token itself. */
function secretLines({ files, token }: Receipt): readonly string[] {
  if (token === null) return [];
  const holders = files.filter(({ settings }) => settings.some(holdsToken));
  return holders.map(({ path }) => `secret   ${path} holds the token; only you can read it (0600)`);
}

async function preview(host: Host, wanted: ClientInstall, { print, json }: InstallOptions): Promise<ExitCode> {
  const { changes } = previewInstall(wanted);
  const files = changes.map(({ path, before, after }) => ({ path, exists: before !== undefined, text: after ?? null }));
  if (json === true) return await printJson(host, { client: wanted.client, files });
  if (files.length === 0) return await printLines(host, ["Nothing would change."]);
  if (print === true)
    return await printLines(
      host,
      files.flatMap(({ path, text }) => [`# ${path}`, text ?? ""]),
    );
  return await printLines(
    host,
    files.map(({ path, exists }) => `would ${exists ? "change" : "write "}  ${path}`),
  );
}

/** The published shape, without the fields only needed to uninstall; see docs/commands.md. */
function shown({ client, name, url, door, token, isDefault, files }: Receipt) {
  return {
    client,
    name,
    url,
    door,
    token,
    isDefault,
    files: files.map(({ path, backup }) => ({ path, existed: backup !== null })),
  };
}
