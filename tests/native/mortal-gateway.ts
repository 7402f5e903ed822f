import { createNativeClient, type NativeClient } from "@caret/protocol";
import type { ScenarioInput } from "@caret/simulator";
import { GatewayHome } from "../clients/gateway-home.ts";
import { type GatewayOptions, type GatewayProcess, startGateway } from "../clients/gateway-process.ts";

/** A gateway that can be killed, and comes back at the same address with the same data. */
export class MortalGateway {
  readonly home: GatewayHome;
  #process: GatewayProcess;

  private constructor(home: GatewayHome, process: GatewayProcess) {
    this.home = home;
    this.#process = process;
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

  /** SIGKILL, and a new one. */
  async dieAndReturn(): Promise<void> {
    const { url, kill, exited } = this.#process;
    kill("SIGKILL");
    await exited;
    const args = ["--port", new URL(url).port, "--workspace", this.home.workspace];
    this.#process = await startGateway(this.home, { args });
  }

  async remove(): Promise<void> {
    await this.#process.stop();
    this.home.remove();
  }
}
