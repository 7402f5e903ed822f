import { PassThrough, Readable, Writable } from "node:stream";
import {
  type AnyMessage,
  type ClientApp,
  type ClientContext,
  client,
  methods,
  ndJsonStream,
  type RequestPermissionRequest,
  type SessionNotification,
  type Stream,
} from "@agentclientprotocol/sdk";
import { runCli } from "@caret/simulator/cli";
import type { TurnBench } from "../turns/turn-bench.ts";

/** A client as its author would write it from the documentation of the protocol: it says yes to the first option. */
export interface PlainClient {
  readonly agent: ClientContext;
  readonly workspace: string;
  readonly updates: readonly SessionNotification[];
  /** The permissions it was asked for. */
  readonly asked: readonly RequestPermissionRequest[];
  /** The parameters of requests and notifications of Cursor's own that it has a handler for, by method. */
  readonly extensions: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;
  newSession(mcpServers?: readonly object[]): Promise<string>;
  prompt(sessionId: string, text: string): Promise<string>;
  /** All that it was told the agent said, whatever the session. */
  text(): string;
  /** The statuses that tool calls went through, in the order of their updates. */
  statuses(): readonly string[];
  /** Resolves when a request arrived that this client takes for a notification. */
  readonly overlooked: Promise<void>;
  /** Closes the agent's input. Resolves with its exit code, if the agent ends. */
  closeInput(): Promise<number>;
}

export interface PlainClientOptions {
  /** Answers of requests of Cursor's own, which are not part of the protocol, by method. */
  readonly knows?: Readonly<Record<string, object>>;
  /** Tests `if (message.id)`, as programs do that have never seen a request with the id 0. */
  readonly testsIdsForTruth?: boolean;
}

/** Drives a simulated agent with the plain client of the protocol's own SDK. The agent runs in this process: it starts at once. */
export async function withPlainClient<Value>(
  bench: TurnBench,
  scenario: string,
  use: (plain: PlainClient) => Promise<Value>,
  { knows = {}, testsIdsForTruth = false }: PlainClientOptions = {},
): Promise<Value> {
  const workspace = bench.workspace();
  const running = startAgent(bench, workspace, scenario);
  const updates: SessionNotification[] = [];
  const asked: RequestPermissionRequest[] = [];
  const extensions: Record<string, Readonly<Record<string, unknown>>[]> = {};
  const overlooked = Promise.withResolvers<void>();
  const app = client({ name: "plain" })
    .onRequest(methods.client.session.requestPermission, ({ params }) => {
      asked.push(params);
      return { outcome: { outcome: "selected" as const, optionId: params.options[0]?.optionId ?? "" } };
    })
    .onNotification(methods.client.session.update, ({ params }) => void updates.push(params));
  for (const [method, answer] of Object.entries(knows)) answerExtension(app, { method, answer, extensions });
  const stream = ndJsonStream(Writable.toWeb(running.stdin), Readable.toWeb(running.stdout) as never);
  try {
    return await app.connectWith(
      testsIdsForTruth ? losingZeros(stream, overlooked.resolve) : stream,
      async (agent: ClientContext) => {
        await agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities: {} });
        return await use({
          agent,
          workspace,
          updates,
          asked,
          extensions,
          newSession: async (mcpServers = []) =>
            (await agent.request(methods.agent.session.new, { cwd: workspace, mcpServers: mcpServers as never }))
              .sessionId,
          prompt: async (sessionId, text) =>
            (await agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text }] }))
              .stopReason,
          text: () => updates.map(textOf).join(""),
          statuses: () => updates.flatMap(({ update }) => ("status" in update ? [String(update.status)] : [])),
          overlooked: overlooked.promise,
          closeInput: () => {
            running.stdin.end();
            return running.exited;
          },
        });
      },
    );
  } finally {
    running.stop();
    await running.exited;
  }
}

interface Extension {
  readonly method: string;
  readonly answer: object;
  readonly extensions: Record<string, Readonly<Record<string, unknown>>[]>;
}

function answerExtension(app: ClientApp, { method, answer, extensions }: Extension): void {
  const heard: Readonly<Record<string, unknown>>[] = [];
  extensions[method] = heard;
  app.onRequest(
    method,
    (params) => params as Readonly<Record<string, unknown>>,
    ({ params }) => {
      heard.push(params);
      return answer;
    },
  );
}

function startAgent(bench: TurnBench, workspace: string, scenario: string) {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const exited = Promise.withResolvers<number>();
  const handlers = new Map<string, () => void>();
  void runCli({
    argv: ["acp"],
    env: { ...bench.environment(), CARET_SIM_SCENARIO: scenario },
    cwd: workspace,
    pid: process.pid,
    stdin,
    stdout,
    stderr: new PassThrough().resume(),
    now: Date.now,
    exit: (code) => exited.resolve(code) as never,
    onSignal: (signal, handler) => void handlers.set(signal, handler),
    killSelf: () => exited.resolve(1),
  });
  return { stdin, stdout, exited: exited.promise, stop: () => handlers.get("SIGTERM")?.() };
}

function losingZeros({ readable, writable }: Stream, onOverlooked: () => void): Stream {
  const reading = new TransformStream<AnyMessage, AnyMessage>({
    transform(message, controller) {
      const { id, ...rest } = message as { readonly id?: unknown };
      if (!("method" in message) || id === undefined || id) return controller.enqueue(message);
      onOverlooked();
      controller.enqueue(rest as AnyMessage);
    },
  });
  return { writable, readable: readable.pipeThrough(reading) };
}

function textOf({ update }: SessionNotification): string {
  if (update.sessionUpdate !== "agent_message_chunk") return "";
  return update.content.type === "text" ? update.content.text : "";
}
