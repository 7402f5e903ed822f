import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { NativeClient } from "@caret/protocol";
import { expect } from "vitest";
import { caret as program } from "../clients/gateway-process.ts";
import { MortalGateway } from "../native/mortal-gateway.ts";
import { chatScenario } from "./chat-scenario.ts";
import { TmuxTerminal } from "./tmux-terminal.ts";

/** What is typed in a terminal to start Caret. */
export const caretCommand = `'${process.execPath}' '${program}'`;

/** A gateway with the chat's scenario, a workspace with a file in it, and terminals at it. */
export class ChatStage {
  readonly gateway: MortalGateway;
  readonly client: NativeClient;

  private constructor(gateway: MortalGateway) {
    this.gateway = gateway;
    this.client = gateway.client();
  }

  static async open(): Promise<ChatStage> {
    const gateway = await MortalGateway.start(chatScenario);
    const stage = new ChatStage(gateway);
    stage.writeGreeting();
    return stage;
  }

  /** The file that the simulated agent reads and edits, as it was at first. */
  writeGreeting(): void {
    writeFileSync(join(this.gateway.home.workspace, "greet.js"), 'export const greet = "Hello";\n');
  }

  async terminal(columns: number, env: Readonly<Record<string, string>> = {}): Promise<TmuxTerminal> {
    const { home } = this.gateway;
    return await TmuxTerminal.open({
      cwd: home.workspace,
      columns,
      env: { ...home.environment(), LANG: "C.UTF-8", ...env },
    });
  }

  async startTurn(prompt: string): Promise<string> {
    const { id } = await this.client.createSession({ workspace: this.gateway.home.workspace });
    await this.client.startTurn(id, { prompt });
    return id;
  }

  async untilWaiting(id: string): Promise<void> {
    await expect.poll(async () => (await this.client.getSession(id)).status.kind).toBe("waiting");
  }

  /** Resolves with the last line that was said. */
  async untilEnded(id: string): Promise<string> {
    await expect.poll(async () => (await this.client.getSession(id)).status.kind).toBe("ended");
    return (await this.client.getSession(id)).lastLine;
  }
}
