import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { runAgentTurn } from "../agent/run-agent-turn.ts";
import { loadCliConfig } from "../config/cli-config.ts";
import { findChatsDir, findProjectDir, toPhysicalPath } from "../config/config-dir.ts";
import { requireCredentials } from "../config/credentials.ts";
import type { GlobalOptions } from "../config/global-options.ts";
import { resolveModel } from "../config/model-catalogue.ts";
import type { Simulation } from "../config/simulation.ts";
import { createOutput, type OutputFormat, outputFormats } from "../output/create-output.ts";
import { createByteWriter } from "../process/byte-writer.ts";
import { CliFailure } from "../process/cli-failure.ts";
import { takePrompt } from "./prompt-input.ts";
import { resolveSession } from "./resolve-session.ts";

interface PrintRun {
  readonly simulation: Simulation;
  readonly words: readonly string[];
  readonly options: GlobalOptions;
}

/** Print mode: one prompt, one turn, one exit code. The order of the checks is the real CLI's. */
export async function runPrint({ simulation, words, options }: PrintRun): Promise<void> {
  const { host, configDir, streamNow } = simulation;
  const { source } = requireCredentials({ env: host.env, configDir, ...options });
  const format = requireFormat(options.outputFormat);
  const mode = requireMode(options);
  const { prompt, inputClosed } = await takePrompt(simulation, words);
  const force = options.force === true || options.yolo === true;
  const workspace = chooseWorkspace(simulation, options);
  const cwd = toPhysicalPath(workspace);
  const projectDir = findProjectDir(host.env, cwd);
  requireTrust({ projectDir, workspace: cwd, now: host.now, trust: options.trust === true, force });
  const config = loadCliConfig(configDir);
  const chatsDir = findChatsDir(configDir, cwd);
  const sessionId = resolveSession({ options, chatsDir, ids: simulation.ids });
  const model = resolveModel(options.model ?? config.modelId, simulation.models);
  const writer = createByteWriter(host.stdout);
  // The stream is cut where it stands the moment the CLI receives a stop signal.
  simulation.stop.signal.addEventListener("abort", writer.cut);
  const partial = options.streamPartialOutput === true;
  const payload = host.env["CARET_SIM_DIALECT"] === "payload";
  await runAgentTurn({
    simulation,
    start: { apiKeySource: source, cwd, sessionId, modelName: model.name, prompt },
    model,
    mode,
    force,
    approveMcps: options.approveMcps === true,
    excludedTools: (options.excludeTools ?? "").split(",").filter((key) => key !== ""),
    workspace,
    chatsDir,
    projectDir,
    backgroundShellTimeoutMs: toMilliseconds(options.backgroundShellTimeout),
    output: createOutput({ format, partial, payload, writer, now: streamNow, quirks: simulation.quirks }),
    writer,
  });
  // The result is out, yet the real CLI stays for as long as its stdin is open.
  await inputClosed;
}

function toMilliseconds(seconds: string | undefined): number | undefined {
  return seconds === undefined ? undefined : Number(seconds) * 1_000;
}

function requireFormat(wanted: string): OutputFormat {
  const format = outputFormats.find((known) => known === wanted);
  if (format !== undefined) return format;
  throw new CliFailure(`Error: Invalid output format: ${wanted}. Must be one of: ${outputFormats.join(", ")}`);
}

function requireMode({ mode, plan }: GlobalOptions): "agent" | "plan" | "ask" {
  if (mode === undefined) return plan === true ? "plan" : "agent";
  if (mode === "plan" || mode === "ask" || mode === "agent") return mode;
  throw new CliFailure(`Error: Invalid mode: ${mode}. Must be one of: plan, ask`);
}

function chooseWorkspace({ host, configDir, ids }: Simulation, options: GlobalOptions): string {
  const workspace = resolve(host.cwd, options.workspace ?? ".");
  if (!existsSync(workspace)) throw new CliFailure(`Error: Workspace path does not exist: ${workspace}`);
  if (options.worktree === undefined) return workspace;
  const name = options.worktree === true ? ids.short(4) : options.worktree;
  const base = options.worktreeBase === undefined ? {} : { base: options.worktreeBase };
  const path = createWorktree({ workspace, configDir, name, ...base });
  host.stdout.write(`Using worktree: ${path}\n`);
  return path;
}

interface WorktreeOptions {
  readonly workspace: string;
  readonly configDir: string;
  readonly name: string;
  readonly base?: string;
}

/** Makes a git worktree for the turn and returns its path. */
function createWorktree({ workspace, configDir, name, base = "HEAD" }: WorktreeOptions): string {
  const path = join(configDir, "worktrees", basename(workspace), name);
  mkdirSync(dirname(path), { recursive: true });
  const git = spawnSync("git", ["worktree", "add", "--detach", path, base], { cwd: workspace, encoding: "utf8" });
  if (git.status !== 0) throw new CliFailure(`Error: Failed to create worktree: ${(git.stderr ?? "").trim()}`);
  return path;
}

interface TrustOptions {
  readonly projectDir: string;
  readonly workspace: string;
  readonly now: () => number;
  /** `--trust`: trust it and remember. */
  readonly trust: boolean;
  /** `--force`: go on this once. */
  readonly force: boolean;
}

/** Refuses to work in a directory that nobody has vouched for. */
function requireTrust({ projectDir, workspace, now, trust, force }: TrustOptions): void {
  const marker = join(projectDir, ".workspace-trusted");
  if (trust) {
    mkdirSync(projectDir, { recursive: true });
    const record = { trustedAt: new Date(now()).toISOString(), workspacePath: workspace, trustMethod: "flag" };
    writeFileSync(marker, `${JSON.stringify(record, null, 2)}\n`);
    return;
  }
  if (force || existsSync(marker)) return;
  throw new CliFailure(banner(workspace));
}

function banner(workspace: string): string {
  return `
⚠ Workspace Trust Required

  Cursor Agent can execute code and access files in this directory.
  Do you trust the contents of this directory?

    ${workspace}

  To proceed, you can either:
    • Run 'agent' interactively to decide
    • Pass --trust, --yolo, or -f if you trust this directory
`;
}
