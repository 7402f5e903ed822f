import { appendFileSync, existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { GatewayProcess } from "../gateway-process.ts";
import { type LaneUnderTest, type OnceCase, scenarioOf } from "./once-case.ts";
import { BACKED, openPlant, type Plant } from "./once-plant.ts";

/** A gateway that may be killed and comes back, what works behind it, and the ledger of all that was paid for a case. */
export class OnceStage {
  readonly ledger: string;
  readonly workspace: string;
  readonly #lane: LaneUnderTest;
  readonly #plant: Plant;
  #running: Promise<GatewayProcess>;
  /** Runs of the upstream that are of earlier cases. */
  #seenRuns = 0;

  private constructor(lane: LaneUnderTest, plant: Plant) {
    this.#lane = lane;
    this.#plant = plant;
    this.workspace = plant.home.workspace;
    this.ledger = join(this.workspace, "ledger");
    this.#running = plant.gateway("0");
  }

  static async open(lane: LaneUnderTest): Promise<OnceStage> {
    return new OnceStage(lane, await openPlant(lane));
  }

  get model(): string {
    if (this.#lane === "backed") return BACKED;
    return this.#lane === "contract" ? "own" : "auto";
  }

  /** The gateway, once there is one. */
  running(): Promise<GatewayProcess> {
    return this.#running;
  }

  /** Sets the agents up for a case, whose ledger is empty. */
  async play(given: OnceCase): Promise<void> {
    await this.#running;
    // Agents of the case before may still be on their way out, and an upstream that nobody has stopped about to pay.
    while (this.#killAgents() > 0 || this.#plant.openRuns() > 0) await sleep(10);
    rmSync(this.ledger, { force: true });
    this.#seenRuns = this.#plant.runs();
    if (this.#lane !== "api") this.#plant.home.play(scenarioOf(given, this.ledger));
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

  async strike(blow: "agent killed" | "gateway killed" | "worker killed"): Promise<void> {
    if (blow === "agent killed") this.#killAgents();
    else if (blow === "gateway killed") await this.#dieAndReturn();
    else await this.#plant.replaceWorker();
  }

  async remove(): Promise<void> {
    await (await this.#running).stop();
    await this.#plant.remove();
  }

  #hasAgent(): boolean {
    return this.#lane === "api" ? this.#plant.runs() > this.#seenRuns : this.#plant.home.hasPlayed;
  }

  #killAgents(): number {
    const agents = this.#plant.home.agents();
    for (const pid of agents) kill(pid);
    return agents.length;
  }

  async #dieAndReturn(): Promise<void> {
    const killed = await this.#running;
    this.#running = (async () => {
      killed.kill("SIGKILL");
      await killed.exited;
      if (this.#lane !== "fleet") this.#killAgents();
      return await this.#plant.gateway(new URL(killed.url).port);
    })();
    await this.#running;
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended since it was listed.
  }
}
