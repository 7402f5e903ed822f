import { spawnSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { CaretError } from "@caret/protocol";
import { isAlive, writePrivateFile } from "@caret/runtime";
import { type Command, Option } from "commander";
import { addConfigFlags, configWords, loadHostConfig } from "../../config/config-flags.ts";
import { findGateway } from "../../gateway/find-gateway.ts";
import { type ExitCode, exitCodes, type Host } from "../../host/host.ts";
import { packageRoot, version } from "../../host/program.ts";
import { FileDrafts } from "../../install/file-drafts.ts";
import { printJson, printLines } from "../../terminal/print.ts";
import { isEdited, serviceUnit, UNIT_NAME } from "./service-unit.ts";

interface ServiceOptions extends Readonly<Record<string, unknown>> {
  readonly json?: boolean;
  readonly print?: boolean;
  readonly dryRun?: boolean;
}

/** Runs `systemctl --user`; undefined if it is not available. */
type Systemctl = (...args: readonly string[]) => { readonly code: number; readonly text: string } | undefined;

export function addServiceCommand(program: Command, host: Host, done: (code: ExitCode) => void): void {
  const service = program.command("service").description("keep a gateway running, as a user service of systemd");
  const finish = (command: Command): Command => addConfigFlags(command.option("--json", "print JSON"));
  finish(service.command("install").description("write the unit, start the gateway now and at every login"))
    .addOption(new Option("--print", "only print the unit"))
    .option("--dry-run", "only say what would be done")
    .action(async (options: ServiceOptions) => done(await install(host, options)));
  finish(service.command("uninstall").description("stop the service and remove its unit"))
    .option("--dry-run", "only say what would be done")
    .action(async (options: ServiceOptions) => done(await uninstall(host, options)));
  finish(service.command("status").description("say whether the service is installed and runs")).action(
    async (options: ServiceOptions) => done(await status(host, options)),
  );
}

async function install(host: Host, options: ServiceOptions): Promise<ExitCode> {
  const { config } = loadHostConfig(host, options);
  const program = [process.execPath, fileURLToPath(new URL("bin/caret.js", packageRoot))];
  const flags = configWords(host, options);
  const unit = serviceUnit({ program, flags, dataDir: config.dataDir, path: host.env["PATH"] ?? "" });
  if (options.print === true) return await printLines(host, [unit.trimEnd()]);
  const file = unitFile(host);
  const steps = [`write ${file}`, "systemctl --user daemon-reload", `systemctl --user enable --now ${UNIT_NAME}`];
  if (options.dryRun === true)
    return await printLines(
      host,
      steps.map((step) => `would ${step}`),
    );
  const systemctl = systemd(host);
  if (!existsSync(file)) await assertNoGateway(host, config.dataDir);
  const kept = keepEdited(file);
  writePrivateFile(file, unit);
  demand(systemctl("daemon-reload"));
  demand(systemctl("enable", "--now", UNIT_NAME));
  if (options.json === true) return await printJson(host, { unit: file, active: true });
  return await printLines(host, [
    `The gateway runs as ${UNIT_NAME}, now and at every login.`,
    ...keptLines(kept),
    `Its log: journalctl --user -u ${UNIT_NAME}`,
    "To keep it running without a login: loginctl enable-linger",
  ]);
}

async function uninstall(host: Host, options: ServiceOptions): Promise<ExitCode> {
  const file = unitFile(host);
  const steps = [`systemctl --user disable --now ${UNIT_NAME}`, `remove ${file}`, "systemctl --user daemon-reload"];
  if (options.dryRun === true)
    return await printLines(
      host,
      steps.map((step) => `would ${step}`),
    );
  if (!existsSync(file))
    throw new CaretError("not-found", `There is no unit ${file}`, { fix: "Nothing has to be done." });
  const systemctl = systemd(host);
  demand(systemctl("disable", "--now", UNIT_NAME));
  const kept = keepEdited(file);
  rmSync(file);
  demand(systemctl("daemon-reload"));
  if (options.json === true) return await printJson(host, { unit: file, removed: true });
  return await printLines(host, [
    `Stopped ${UNIT_NAME} and removed its unit. Sessions and agents are kept.`,
    ...keptLines(kept),
  ]);
}

/** What a person has made of the unit stays beside it. */
function keepEdited(file: string): readonly string[] {
  const drafts = new FileDrafts();
  const text = drafts.read(file);
  if (text !== undefined && isEdited(text)) drafts.keepBeside(file);
  drafts.commit();
  return drafts.kept;
}

function keptLines(kept: readonly string[]): readonly string[] {
  return kept.map((path) => `The unit was edited: a copy of it is kept as ${path}`);
}

async function status(host: Host, options: ServiceOptions): Promise<ExitCode> {
  const file = unitFile(host);
  const isInstalled = existsSync(file);
  const answer = isInstalled ? systemd(host)("is-active", UNIT_NAME) : undefined;
  const state = answer?.text.trim() ?? "not installed";
  if (options.json === true) return await printJson(host, { unit: isInstalled ? file : null, state });
  const words = isInstalled
    ? `${UNIT_NAME} is ${state}.`
    : `No service is installed. \`${host.command} service install\` installs one.`;
  await printLines(host, [words]);
  return isInstalled && answer?.code !== 0 ? exitCodes.failed : exitCodes.completed;
}

/** Two gateways cannot share a data directory: the service would restart forever. */
async function assertNoGateway({ env, uid }: Host, dataDir: string): Promise<void> {
  const found = await findGateway({ dataDir, uid, version, env, isAlive });
  if (found.gateway === undefined) return;
  const { url, pid } = found.gateway;
  throw new CaretError("storage-locked", `A gateway has this data directory already, at ${url}`, {
    fix: `Stop it with \`kill -INT ${pid}\`, then install the service.`,
  });
}

function unitFile({ env, home }: Host): string {
  return join(env["XDG_CONFIG_HOME"] || join(home, ".config"), "systemd", "user", UNIT_NAME);
}

/** Rejects if the user has no systemd, before anything is written. */
function systemd(host: Host): Systemctl {
  const run: Systemctl = (...args) => {
    const {
      error,
      status: code,
      stdout,
      stderr,
    } = spawnSync("systemctl", ["--user", ...args], {
      env: { ...host.env },
      encoding: "utf8",
    });
    return error === undefined ? { code: code ?? 1, text: `${stdout}${stderr}` } : undefined;
  };
  const found = host.platform === "linux" ? run("show-environment") : undefined;
  if (found?.code === 0) return run;
  throw new CaretError("unsupported", "There is no systemd for this user here", {
    upstream: found?.text.trim() ?? "",
    fix: "Start the gateway by other means: `caret serve`. `caret service install --print` shows what would run.",
  });
}

function demand(result: ReturnType<Systemctl>): void {
  if (result?.code === 0) return;
  throw new CaretError("internal", "systemctl failed", {
    upstream: result?.text.trim() ?? "",
    fix: `Look at \`systemctl --user status ${UNIT_NAME}\`.`,
  });
}
