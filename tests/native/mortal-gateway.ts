import { createNativeClient, type NativeClient } from "@caret/protocol";
import type { ScenarioInput } from "@caret/simulator";
import { GatewayHome } from "../clients/gateway-home.ts";
import { type GatewayOptions, type GatewayProcess, startGateway } from "../clients/gateway-process.ts";

/** A gateway that can be killed, and comes back at the same address with the same data. */
export class MortalGateway {
  readonly home: GatewayHome;
  #process: GatewayProcess;
  #running: Promise<GatewayProcess>;

  private constructor(home: GatewayHome, process: GatewayProcess) {
    this.home = home;
    this.#process = process;
    this.#running = Promise.resolve(process);
  }

  static async start(scenario?: ScenarioInput, options: GatewayOptions = {}): Promise<MortalGateway> {
    const home = new GatewayHome(scenario);
    const args = ["--port", "0", "--workspace", home.workspace];
    return new MortalGateway(home, await startGateway(home, { args, ...options }));
  }

  get process(): GatewayProcess {
    return this.#process;
  }

  client(): NativeClient {
    const { url, token } = this.#process;
    return createNativeClient({ baseUrl: url, headers: { authorization: `Bearer ${token}` } });
  }

  /** The one that runs, once there is one again. */
  running(): Promise<GatewayProcess> {
    return this.#running;
  }

  /** SIGKILL at once, and a new one. */
  async dieAndReturn(): Promise<void> {
    this.#process.kill("SIGKILL");
    this.#running = this.#return();
    await this.#running;
  }

  /** For good. Gives the agents that it has left behind. */
  async stop(): Promise<readonly number[]> {
    await (await this.#running).stop();
    return this.home.agents();
  }

  async remove(): Promise<void> {
    await this.stop();
    this.home.remove();
  }

  async #return(): Promise<GatewayProcess> {
    const { url, exited } = this.#process;
    await exited;
    const args = ["--port", new URL(url).port, "--workspace", this.home.workspace];
    this.#process = await startGateway(this.home, { args });
    return this.#process;
  }
}
