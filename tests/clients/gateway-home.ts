import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ScenarioInput } from "@caret/simulator";

/** What the simulator wrote down about one turn it was asked for. */
export interface AskedTurn {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly prompt: string;
}

/** A directory with everything one gateway needs, which outlives the gateway: another may be started in it. */
export class GatewayHome {
  readonly directory = realpathSync(mkdtempSync(join(tmpdir(), "caret-clients-")));
  readonly dataDir = join(this.directory, "data");
  readonly workspace = join(this.directory, "workspace");
  readonly #logPath = join(this.directory, "simulator.jsonl");
  readonly #scenarioPath = join(this.directory, "scenario.json");

  constructor(scenario: ScenarioInput = { turns: [] }) {
    mkdirSync(this.workspace);
    this.play(scenario);
  }

  /** Agents that are started from now on play this, from its first turn on. */
  play(scenario: ScenarioInput): void {
    rmSync(`${this.#scenarioPath}.taken`, { recursive: true, force: true });
    writeFileSync(this.#scenarioPath, JSON.stringify(scenario));
  }

  /** A turn of a scenario that counts invocations has been begun since `play`. */
  get hasPlayed(): boolean {
    return existsSync(`${this.#scenarioPath}.taken`);
  }

  /** The whole environment of a gateway here; the simulator's variables go on to its agents. */
  environment(): Record<string, string> {
    return {
      PATH: "/usr/local/bin:/usr/bin:/bin",
      HOME: this.directory,
      CARET_DATA_DIR: this.dataDir,
      CARET_SIM_LOG: this.#logPath,
      CARET_SIM_SCENARIO: this.#scenarioPath,
      // A second agent for every turn, which most tests never use: those of warm agents turn it on.
      CARET_WARM_ENABLED: "false",
    };
  }

  /** The turns that reached the simulator, oldest first. */
  turns(): readonly AskedTurn[] {
    return this.#records()
      .filter(({ event, argv = [] }) => event === "invocation" && argv.includes("-p"))
      .map(({ argv = [], cwd = "", stdin }) => ({ argv, cwd, prompt: stdin?.text ?? "" }));
  }

  /** What clients of the simulator's `agent acp` asked of it by this method: the parameters, oldest first. */
  acpRequests(method: string): readonly unknown[] {
    return this.#records().flatMap((record) =>
      record.event === "acp-request" && record.method === method ? [record.params] : [],
    );
  }

  /** The models of turns that `agent acp` ran, oldest first. */
  acpModels(): readonly (string | undefined)[] {
    return this.#records().flatMap(({ event, model }) => (event === "acp-turn" ? [model] : []));
  }

  prompts(): readonly string[] {
    return this.turns().map(({ prompt }) => prompt);
  }

  /**
   * The agents of this home that live, warm ones included, and whatever they have started; or of these only the processes
   * that run a program of this name. Seats that no agent has taken yet do not count. Zombies have no environment left to read.
   */
  agents(program?: string): readonly number[] {
    const mark = `CARET_SIM_LOG=${this.#logPath}`;
    const started = new Map<string, number[]>();
    for (const pid of readdirSync("/proc").map(Number).filter(Number.isInteger)) {
      const variables = fileOf(pid, "environ").split("\0");
      const id = variables.find((variable) => variable.startsWith("CARET_PROCESS_ID="));
      if (variables.includes(mark) && id !== undefined) started.set(id, [...(started.get(id) ?? []), pid]);
    }
    return [...started.values()]
      .filter((pids) => !pids.every(isSeat))
      .flat()
      .filter((pid) => program === undefined || fileOf(pid, "comm").trim() === program);
  }

  remove(): void {
    for (const pid of this.agents()) kill(pid);
    rmSync(this.directory, { recursive: true, force: true, maxRetries: 5 });
  }

  #records(): readonly LogRecord[] {
    let text: string;
    try {
      text = readFileSync(this.#logPath, "utf8");
    } catch {
      return []; // no agent has been started yet
    }
    return text
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as LogRecord);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    // It has ended since it was listed.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

interface LogRecord {
  readonly event: string;
  readonly argv?: readonly string[];
  readonly cwd?: string;
  readonly stdin?: { readonly text: string };
  readonly method?: string;
  readonly params?: unknown;
  readonly model?: string;
}

/** Also the container of a seat, whose agent is then another process with the same mark. */
function isSeat(pid: number): boolean {
  return fileOf(pid, "cmdline").includes("caret_seat_line");
}

function fileOf(pid: number, name: "environ" | "comm" | "cmdline"): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "latin1");
  } catch {
    return ""; // gone meanwhile, or another user's
  }
}
