import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { simulatorCommand } from "@caret/simulator";
import { startUpstream, type Upstream } from "@caret/simulator/upstream";
import { GatewayHome } from "../gateway-home.ts";
import { type GatewayProcess, startGateway } from "../gateway-process.ts";
import { type LaneUnderTest, type OnceCase, scenarioOf, upstreamScenario } from "./once-case.ts";

const laneArgs: Readonly<Record<LaneUnderTest, readonly string[]>> = {
  cli: ["--lane", "cli"],
  contract: ["--lane", "cli"],
  acp: ["--lane", "acp"],
  api: ["--lane", "api"],
};

/** One gateway on one lane, which may be killed and comes back, and the ledger of all that was paid for a case. */
export class OnceStage {
  readonly home = new GatewayHome();
  readonly ledger = join(this.home.workspace, "ledger");
  readonly #lane: LaneUnderTest;
  #upstream: Upstream | undefined;
  #running: Promise<GatewayProcess>;
  #port = "0";
  /** Records of the upstream that are of earlier cases. */
  #seen = 0;

  constructor(lane: LaneUnderTest) {
    this.#lane = lane;
    this.#running = this.#start();
  }

  get model(): string {
    return this.#lane === "contract" ? "own" : "auto";
  }

  /** The gateway, once there is one. */
  running(): Promise<GatewayProcess> {
    return this.#running;
  }

  /** Sets the agents up for a case, whose ledger is empty. */
  async play(given: OnceCase): Promise<void> {
    await this.#running;
    // Agents of the case before may still be on their way out.
    for (let left = this.home.agents(); left.length > 0; left = this.home.agents()) {
      for (const pid of left) kill(pid);
      await sleep(10);
    }
    rmSync(this.ledger, { force: true });
    this.#seen = this.#upstream?.records.length ?? 0;
    if (this.#lane !== "api") this.home.play(scenarioOf(given, this.ledger));
  }

  /** The client's own tool. */
  pay(): string {
    appendFileSync(this.ledger, "paid\n");
    return "It is paid.";
  }

  paid(): number {
    return existsSync(this.ledger) ? readFileSync(this.ledger, "utf8").split("\n").length - 1 : 0;
  }

  /** Resolves when the work of a case has come so far that it waits to be struck; also when the case is over before. */
  async ripe(given: OnceCase, isOver: () => boolean): Promise<void> {
    const needsPayment = given.point === "amid" || given.point === "result";
    const begun = (): boolean => (needsPayment ? this.paid() > 0 : this.#hasAgent());
    while (!isOver() && !begun()) await sleep(10);
    // What the agent has said by then may be on its way.
    await sleep(100);
  }

  async strike(blow: "agent killed" | "gateway killed"): Promise<void> {
    if (blow === "agent killed") for (const pid of this.home.agents()) kill(pid);
    else await this.#dieAndReturn();
  }

  async remove(): Promise<void> {
    await (await this.#running).stop();
    await this.#upstream?.close();
    this.home.remove();
  }

  #agentProgram(): string {
    const path = join(this.home.directory, "agent");
    const { file, args } = simulatorCommand();
    writeFileSync(path, `#!/bin/sh\nexec '${[file, ...args].join("' '")}' "$@"\n`, { mode: 0o755 });
    return path;
  }

  #hasAgent(): boolean {
    const news = this.#upstream?.records.slice(this.#seen);
    if (news !== undefined) return news.some(({ path }) => String(path).endsWith("/Run"));
    return this.home.hasPlayed;
  }

  async #dieAndReturn(): Promise<void> {
    const killed = await this.#running;
    this.#running = (async () => {
      killed.kill("SIGKILL");
      await killed.exited;
      for (const pid of this.home.agents()) kill(pid);
      return await this.#start();
    })();
    await this.#running;
  }

  async #start(): Promise<GatewayProcess> {
    const env: Record<string, string> = {
      CARET_CLI_COMMAND: this.#agentProgram(),
      CARET_MODELS: JSON.stringify({ own: { command: this.#agentProgram(), args: ["--contract"] } }),
      CARET_CLI_FORCE: "true",
      CARET_TOOLS_POLICY: "full",
    };
    if (this.#lane === "api") {
      this.#upstream ??= await startUpstream({ scenario: upstreamScenario(this.ledger) });
      env["CURSOR_AGENT_URL"] = this.#upstream.url;
      env["CURSOR_API_KEY"] = "key_of_a_test";
    }
    const args = ["--port", this.#port, "--workspace", this.home.workspace, ...laneArgs[this.#lane]];
    const process = await startGateway(this.home, { args, env });
    this.#port = new URL(process.url).port;
    return process;
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended since it was listed.
  }
}
