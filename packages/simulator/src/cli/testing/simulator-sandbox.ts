import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { simulatorCommand } from "../../index.ts";
import type { ScenarioInput } from "../../scenario/scenario.ts";

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** What stdin holds; it is closed right after, unless `keepInputOpen`. */
  readonly input?: string;
  readonly keepInputOpen?: boolean;
  readonly scenario?: ScenarioInput;
}

export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly child: ChildProcessWithoutNullStreams;
  /** Resolves once stdout holds the text. */
  readonly printed: (text: string) => Promise<void>;
  readonly finished: Promise<Finished>;
  /** Resolves when the process is gone, even if another process still holds its pipes. */
  readonly exited: Promise<number | null>;
}

export type Json = Readonly<Record<string, unknown>>;

/** A workspace and a configuration directory of their own, and the real executable to run in them. */
export class SimulatorSandbox {
  readonly directory = realpathSync(mkdtempSync(join(tmpdir(), "caret-sim-")));
  readonly workspace = join(this.directory, "workspace");
  readonly configDir = join(this.directory, "config");
  readonly logPath = join(this.directory, "log.jsonl");
  readonly #children: ChildProcessWithoutNullStreams[] = [];
  #scenarios = 0;

  constructor() {
    mkdirSync(this.workspace);
  }

  start(args: readonly string[], options: RunOptions = {}): Running {
    const { file, args: own } = simulatorCommand();
    const child = spawn(file, [...own, ...args], {
      cwd: options.cwd ?? this.workspace,
      env: {
        PATH: "/usr/local/bin:/usr/bin:/bin",
        HOME: this.directory,
        CURSOR_CONFIG_DIR: this.configDir,
        CARET_SIM_LOG: this.logPath,
        ...this.#scenarioEnv(options.scenario),
        ...options.env,
      },
    });
    this.#children.push(child);
    // A simulator that closes its stdin unread breaks this pipe, which is what some tests ask of it.
    child.stdin.on("error", () => undefined);
    child.stdin.write(options.input ?? "");
    if (options.keepInputOpen !== true) child.stdin.end();
    return watch(child);
  }

  run(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
    return this.start(args, options).finished;
  }

  /** A turn in a trusted workspace, as its stream's events. */
  async turn(prompt: string, args: readonly string[] = [], options: RunOptions = {}): Promise<readonly Json[]> {
    const { stdout } = await this.run([...streamArgs, ...args, "--", prompt], options);
    return parseLines(stdout);
  }

  write(path: string, text: string): void {
    const full = join(this.workspace, path);
    mkdirSync(join(full, ".."), { recursive: true });
    writeFileSync(full, text);
  }

  /** What the executable wrote about itself. */
  log(): readonly Json[] {
    return parseLines(readFileSync(this.logPath, "utf8"));
  }

  /** A test that failed half-way must not leave its simulator behind. */
  remove(): void {
    for (const child of this.#children) child.kill("SIGKILL");
    rmSync(this.directory, { recursive: true, force: true });
  }

  #scenarioEnv(scenario: ScenarioInput | undefined): { CARET_SIM_SCENARIO?: string } {
    if (scenario === undefined) return {};
    const path = join(this.directory, `scenario-${this.#scenarios++}.json`);
    writeFileSync(path, JSON.stringify(scenario));
    return { CARET_SIM_SCENARIO: path };
  }
}

export const streamArgs = ["-p", "--output-format", "stream-json", "--trust"] as const;

export function parseLines(text: string): readonly Json[] {
  const lines = text.split("\n").filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line) as Json);
}

/** What an event has of a call, below the key of its tool. */
export function callBody(event: Json | undefined, key: string): unknown {
  return (event?.["tool_call"] as Json | undefined)?.[key];
}

function watch(child: ChildProcessWithoutNullStreams): Running {
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  return {
    child,
    printed: (text) =>
      new Promise((resolve) => {
        const look = () => {
          if (!stdout.includes(text)) return;
          child.stdout.off("data", look);
          resolve();
        };
        child.stdout.on("data", look);
        look();
      }),
    finished: new Promise((resolve) => {
      child.once("close", (code, signal) => resolve({ code, signal, stdout, stderr }));
    }),
    exited: new Promise((resolve) => {
      child.once("exit", (code) => resolve(code));
    }),
  };
}
