import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { acpScenario } from "../acp-scenario.ts";
import { GatewayHome } from "../gateway-home.ts";
import { caret } from "../gateway-process.ts";

const simulatedCli = fileURLToPath(new URL("../../../packages/simulator/bin/caret-sim-agent.js", import.meta.url));

/**
 * The lanes that these clients are driven on; on `cli` and `acp` the simulator stands in for Cursor's own program. On `acp` the gateway
 * runs the tools with `supervised` alone.
 */
export const acpLanes = {
  sim: ["--lane", "sim"],
  cli: ["--lane", "cli", "--cli-command", simulatedCli],
  acp: ["--lane", "acp", "--cli-command", simulatedCli, "--permission", "supervised"],
} as const;

/** A home whose PATH has `caret`, and under other names `caret acp` with the arguments of a lane. */
export class AcpHome extends GatewayHome {
  readonly #bin = join(this.directory, "bin");

  constructor() {
    super(acpScenario);
    mkdirSync(this.#bin);
    this.program("caret", []);
  }

  /** A program of this name on the PATH: `caret` with these arguments first. Gives its path. */
  program(name: string, args: readonly string[], { takesMore = true } = {}): string {
    const path = join(this.#bin, name);
    const words = [process.execPath, caret, ...args].map((word) => `'${word}'`).join(" ");
    writeFileSync(path, `#!/bin/sh\nexec ${words}${takesMore ? ' "$@"' : ""}\n`);
    chmodSync(path, 0o755);
    return path;
  }

  /** The model of the turn that came last, as the agent was told it. */
  lastModel(): string | undefined {
    const { argv = [] } = this.turns().at(-1) ?? {};
    return this.acpModels().at(-1) ?? argv[argv.indexOf("--model") + 1];
  }

  /** The processes of `caret acp` here: clients end them in their own time. */
  servers(): readonly string[] {
    return this.#processes(([, program, command]) => program === caret && command === "acp");
  }

  /** Whether a tool of the gateway's runs this command. */
  isRunning(...words: readonly string[]): boolean {
    return this.#processes((argv) => argv.join(" ").trim() === words.join(" ")).length > 0;
  }

  #processes(isMeant: (argv: readonly string[]) => boolean): readonly string[] {
    return readdirSync("/proc").filter((pid) => {
      try {
        const read = (name: string) => readFileSync(`/proc/${pid}/${name}`, "latin1").split("\0");
        return isMeant(read("cmdline")) && read("environ").includes(`HOME=${this.directory}`);
      } catch {
        return false; // no process, gone meanwhile, or another user's
      }
    });
  }

  override environment(): Record<string, string> {
    const { PATH = "", ...environment } = super.environment();
    return { ...environment, PATH: [this.#bin, dirname(process.execPath), PATH].join(":") };
  }
}
