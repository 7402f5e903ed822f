import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { readConfigFile } from "@caret/cli/src/config/config-paths.ts";
import { loadConfig } from "@caret/cli/src/config/load-config.ts";
import { type OpenedEngine, openEngine } from "@caret/cli/src/engine/compose.ts";
import type { Host } from "@caret/cli/src/host/host.ts";
import { type ScenarioInput, simulatorCommand } from "@caret/simulator";

/** What goes into `caret.json`, over the settings every bench has. */
export type BenchSettings = Readonly<Record<string, unknown>>;

/** For tests in which it matters who starts the agents: by default the engines of a bench have no spawner process. */
export const withSpawner: BenchSettings = { spawner: { enabled: true } };

export interface OpenOptions {
  readonly settings?: BenchSettings;
  readonly env?: Readonly<Record<string, string>>;
  readonly keepWarm?: boolean;
}

/** The installer names a directory after the version, so an agent in one needs not be asked for it. */
const BENCH_VERSION = "2026.09.15-be9c4a1";

/** Short enough for a test that waits for one, long enough for a machine that is busy. */
const benchClocks = {
  firstEventMs: 15_000,
  idleMs: 15_000,
  toolMs: 15_000,
  turnMs: 30_000,
  graceMs: 300,
  drainMs: 300,
} as const;

/**
 * A home, a data directory and agents of their own, and the real engine over them. The agent of a workspace is the shell
 * script that `agentOf` wrote for it; a workspace without one gets the simulator.
 */
export class TurnBench {
  readonly directory = realpathSync(mkdtempSync(join(tmpdir(), "caret-turns-")));
  readonly dataDir = join(this.directory, "data");
  readonly configDir = join(this.directory, "cursor");
  readonly invocationsPath = join(this.directory, "invocations.jsonl");
  readonly agentPath = join(this.directory, "versions", BENCH_VERSION, "agent");
  readonly #opened: OpenedEngine[] = [];
  #count = 0;

  constructor() {
    mkdirSync(join(this.agentPath, ".."), { recursive: true });
    this.program(
      this.agentPath,
      `#!/bin/sh\n[ -f "$PWD.agent" ] && exec /bin/sh "$PWD.agent" "$@"\n${this.simulator()}\n`,
    );
  }

  /** A new workspace, whose agent is the given shell script. */
  workspace(agent?: string): string {
    this.#count += 1;
    const path = join(this.directory, `workspace-${this.#count}`);
    mkdirSync(path);
    if (agent !== undefined) writeFileSync(`${path}.agent`, agent);
    return path;
  }

  program(path: string, text: string | Uint8Array, mode = 0o755): string {
    writeFileSync(path, text);
    chmodSync(path, mode);
    return path;
  }

  scenario(scenario: ScenarioInput): string {
    this.#count += 1;
    const path = join(this.directory, `scenario-${this.#count}.json`);
    writeFileSync(path, JSON.stringify(scenario));
    return path;
  }

  /** The line of shell that becomes the simulator, playing the scenario if there is one. */
  simulator(scenario?: ScenarioInput): string {
    const { file, args } = simulatorCommand();
    const play = scenario === undefined ? "" : `export CARET_SIM_SCENARIO='${this.scenario(scenario)}'; `;
    return `${play}exec '${file}' '${args.join("' '")}' "$@"`;
  }

  /** The environment of a Caret here, and of the agents it starts. */
  environment(): Record<string, string> {
    return {
      PATH: "/usr/local/bin:/usr/bin:/bin",
      HOME: this.directory,
      CURSOR_CONFIG_DIR: this.configDir,
      CARET_SIM_LOG: this.invocationsPath,
      CARET_SIM_BENCH: this.directory,
    };
  }

  configFile(settings: BenchSettings = {}): string {
    this.#count += 1;
    const path = join(this.directory, `caret-${this.#count}.json`);
    const { cli, clocks, ...rest } = settings as { cli?: object; clocks?: object };
    const config = {
      lane: "cli",
      dataDir: this.dataDir,
      containment: "off",
      workspaces: { allow: [this.directory] },
      ...rest,
      cli: { command: this.agentPath, configDir: this.configDir, ...cli },
      clocks: { ...benchClocks, ...clocks },
    };
    writeFileSync(path, JSON.stringify(config), { mode: 0o600 });
    return path;
  }

  /** Without a spawner process, whose start costs more than a turn; see `withSpawner`. */
  async open({ settings, env = {}, keepWarm = false }: OpenOptions = {}): Promise<OpenedEngine> {
    const host: Host = {
      argv: [],
      command: "caret",
      env: { ...this.environment(), ...env },
      cwd: this.directory,
      home: this.directory,
      platform: process.platform,
      uid: process.getuid?.(),
      stdin: new PassThrough(),
      stdout: new PassThrough(),
      stderr: new PassThrough(),
      onSignal: () => () => undefined,
    };
    const flags = { config: this.configFile({ spawner: { enabled: false }, ...settings }) };
    const { config } = loadConfig({ ...host, flags, readFile: readConfigFile });
    const opened = await openEngine(host, config, { workspaces: [], keepWarm });
    this.#opened.push(opened);
    return opened;
  }

  /** What the simulator wrote about its invocations, those that ran a turn. */
  invocations(): readonly Invocation[] {
    return this.#records().filter(({ event, argv }) => event === "invocation" && !argv.includes("--version"));
  }

  /** What clients of the simulator's `agent acp` asked of it by this method. */
  acpRequests(method: string): readonly SimulatorRecord[] {
    return this.acpRecords("acp-request").filter((record) => record["method"] === method);
  }

  /** What the simulator's `agent acp` wrote of itself under this name. */
  acpRecords(event: string): readonly SimulatorRecord[] {
    return (this.#records() as readonly unknown[] as readonly SimulatorRecord[]).filter(
      (record) => record["event"] === event,
    );
  }

  /** The living simulators that are an `agent acp` in the workspace. */
  acpProcesses(workspace: string): readonly number[] {
    const started = this.#records().filter(({ event, argv }) => event === "invocation" && argv.includes("acp"));
    const alive = this.processes(workspace);
    return started.map(({ pid }) => pid).filter((pid) => alive.includes(pid));
  }

  /** The simulators that have started up, if their scenario makes them slow to do so. */
  booted(): readonly number[] {
    return this.#records()
      .filter(({ event }) => event === "booted")
      .map(({ pid }) => pid);
  }

  /**
   * The living processes that descend from an agent of this bench, or from one in the workspace. Zombies have no
   * environment and no directory left to read.
   */
  processes(workspace?: string): readonly number[] {
    const mark = `CARET_SIM_BENCH=${this.directory}`;
    const pids = readdirSync("/proc").map(Number).filter(Number.isInteger);
    return pids.filter((pid) => {
      if (pid === process.pid || !hasVariable(pid, mark)) return false;
      return workspace === undefined || workingDirectory(pid) === workspace;
    });
  }

  #records(): readonly (Invocation & { readonly event: string })[] {
    if (!existsSync(this.invocationsPath)) return [];
    const lines = readFileSync(this.invocationsPath, "utf8").split("\n").filter(Boolean);
    return lines.map((line) => JSON.parse(line) as Invocation & { readonly event: string });
  }

  async close(): Promise<void> {
    for (const opened of this.#opened.splice(0)) await opened.close();
  }

  async remove(): Promise<void> {
    await this.close();
    for (const pid of this.processes()) process.kill(pid, "SIGKILL");
    rmSync(this.directory, { recursive: true, force: true });
  }
}

export type SimulatorRecord = Readonly<Record<string, unknown>>;

export interface Invocation {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: { readonly names: readonly string[]; readonly values: Readonly<Record<string, string>> };
  readonly stdin?: { readonly bytes: number; readonly sha256: string; readonly text: string };
  readonly pid: number;
}

export function openDescriptors(): number {
  return readdirSync("/proc/self/fd").length;
}

/** Three streams of each of four agents to come are opened ahead, and the log's journal with the first commit. */
const OPENED_AHEAD = 4 * 3 + 1;

/** How many descriptors may be open when everything of a turn is gone, beside so many engines that open some ahead. */
export function allowedDescriptors(engines = 1): number {
  return openDescriptors() + engines * OPENED_AHEAD;
}

function workingDirectory(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined; // gone meanwhile
  }
}

function hasVariable(pid: number, entry: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1").split("\0").includes(entry);
  } catch {
    return false; // gone meanwhile, or another user's
  }
}
