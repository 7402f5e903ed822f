import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { Readable, Writable } from "node:stream";
import { type ClientContext, client, methods, ndJsonStream, type SessionNotification } from "@agentclientprotocol/sdk";
import type { TurnBench } from "../turns/turn-bench.ts";

/** A client as its author would write it from the documentation of the protocol: it says yes to the first option. */
export interface PlainClient {
  readonly agent: ClientContext;
  readonly updates: readonly SessionNotification[];
  newSession(mcpServers?: readonly object[]): Promise<string>;
  prompt(sessionId: string, text: string): Promise<string>;
  /** All that it was told the agent said, whatever the session. */
  text(): string;
}

export interface PlainClientOptions {
  /** Accepts plans, which is not part of the protocol. */
  readonly acceptsPlans?: boolean;
}

/** Drives the agent of a workspace with the plain client of the protocol's own SDK. */
export async function withPlainClient<Value>(
  bench: TurnBench,
  workspace: string,
  use: (plain: PlainClient) => Promise<Value>,
  { acceptsPlans = false }: PlainClientOptions = {},
): Promise<Value> {
  const child: ChildProcess = spawn(bench.agentPath, ["acp"], {
    cwd: workspace,
    env: bench.environment(),
    stdio: ["pipe", "pipe", "ignore"],
  });
  const updates: SessionNotification[] = [];
  const app = client({ name: "plain" })
    .onRequest(methods.client.session.requestPermission, ({ params }) => ({
      outcome: { outcome: "selected" as const, optionId: params.options[0]?.optionId ?? "" },
    }))
    .onNotification(methods.client.session.update, ({ params }) => void updates.push(params));
  if (acceptsPlans)
    app.onRequest(
      "cursor/create_plan",
      (params) => params,
      () => ({ outcome: { outcome: "accepted" } }),
    );
  const { stdin, stdout } = child as { stdin: Writable; stdout: Readable };
  const stream = ndJsonStream(
    Writable.toWeb(stdin) as WritableStream<Uint8Array>,
    Readable.toWeb(stdout) as ReadableStream<Uint8Array>,
  );
  try {
    return await app.connectWith(stream, async (agent) => {
      await agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities: {} });
      return await use({
        agent,
        updates,
        newSession: async (mcpServers = []) =>
          (await agent.request(methods.agent.session.new, { cwd: workspace, mcpServers: mcpServers as never }))
            .sessionId,
        prompt: async (sessionId, text) =>
          (await agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text }] }))
            .stopReason,
        text: () => updates.map(textOf).join(""),
      });
    });
  } finally {
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  }
}

function textOf({ update }: SessionNotification): string {
  if (update.sessionUpdate !== "agent_message_chunk") return "";
  return update.content.type === "text" ? update.content.text : "";
}
