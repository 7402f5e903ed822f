import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { Readable, Writable } from "node:stream";
import {
  type ClientCapabilities,
  type ClientConnection,
  type ClientContext,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  client,
  methods,
  type NewSessionResponse,
  ndJsonStream,
  type PromptResponse,
  RequestError,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import { expect } from "vitest";
import type { GatewayHome } from "./gateway-home.ts";
import { caret } from "./gateway-process.ts";
import type { TestEditor } from "./test-editor.ts";

export interface AcpClientOptions {
  /** Instead of `caret acp --lane sim`; `env` is added to the home's. */
  readonly launch?: {
    readonly command: string;
    readonly args: readonly string[];
    readonly env: Record<string, string>;
  };
  /** Besides `acp --lane sim`. */
  readonly args?: readonly string[];
  readonly capabilities?: ClientCapabilities;
  readonly decide?: Decide;
  readonly fillIn?: (asked: CreateElicitationRequest) => CreateElicitationResponse;
  /** Its files and terminals; `capabilities` must offer them. */
  readonly editor?: TestEditor;
}

type Decide = (asked: RequestPermissionRequest) => RequestPermissionResponse;

/** The SDK's own client with a `caret acp` of its own, as an editor would start it. */
export class AcpClient {
  readonly agent: ClientContext;
  readonly updates: { readonly sessionId: string; readonly update: SessionUpdate }[] = [];
  readonly asked: RequestPermissionRequest[] = [];
  /** Titles of requests that were withdrawn. */
  readonly withdrawn: (string | null | undefined)[] = [];
  /** What the person at the client does about a permission. By default nothing, until it is withdrawn. */
  decide: Decide | undefined;
  readonly pid: number;
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #connection: ClientConnection;
  #stderr = "";

  constructor(home: GatewayHome, options: AcpClientOptions = {}) {
    const { args = [] } = options;
    const own = { command: process.execPath, args: [caret, "acp", "--lane", "sim", ...args], env: {} };
    const { command, args: words, env } = options.launch ?? own;
    this.#child = spawn(command, words, {
      cwd: home.workspace,
      env: { ...home.environment(), ...env },
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.pid = this.#child.pid ?? 0;
    this.decide = options.decide;
    this.#child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr += text;
    });
    this.#connection = this.#connect(options);
    this.agent = this.#connection.agent;
  }

  /** Starts one, and says hello. */
  static async start(home: GatewayHome, options: AcpClientOptions = {}): Promise<AcpClient> {
    const started = new AcpClient(home, options);
    const { capabilities: clientCapabilities = {} } = options;
    await started.agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities });
    return started;
  }

  stderr(): string {
    return this.#stderr;
  }

  async newSession(cwd: string, more: object = {}): Promise<NewSessionResponse> {
    return await this.agent.request(methods.agent.session.new, { cwd, mcpServers: [], ...more });
  }

  prompt(sessionId: string, text: string): Promise<PromptResponse> {
    return this.agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text }] });
  }

  async cancel(sessionId: string): Promise<void> {
    await this.agent.notify(methods.agent.session.cancel, { sessionId });
  }

  /** What a session was sent of one kind, oldest first. */
  sent<Kind extends SessionUpdate["sessionUpdate"]>(sessionId: string, kind: Kind) {
    return this.updates.flatMap(({ sessionId: id, update }) =>
      id === sessionId && update.sessionUpdate === kind
        ? [update as Extract<SessionUpdate, { readonly sessionUpdate: Kind }>]
        : [],
    );
  }

  /** All text of one kind that a session was sent. */
  said(sessionId: string, kind: "agent_message_chunk" | "user_message_chunk" | "agent_thought_chunk"): string {
    return this.sent(sessionId, kind)
      .map(({ content }) => (content.type === "text" ? content.text : ""))
      .join("");
  }

  /** The statuses that a session's calls went through, by their titles. */
  calls(sessionId: string): Record<string, (string | null | undefined)[]> {
    const titles = new Map<string, string>();
    const statuses: Record<string, (string | null | undefined)[]> = {};
    for (const { sessionId: id, update } of this.updates) {
      if (id !== sessionId || !("toolCallId" in update)) continue;
      if (update.sessionUpdate === "tool_call") titles.set(update.toolCallId, update.title);
      const title = titles.get(update.toolCallId) ?? update.toolCallId;
      if (update.status !== undefined) statuses[title] = [...(statuses[title] ?? []), update.status];
    }
    return statuses;
  }

  /** Resolves when the client was asked for so many permissions. */
  async untilAsked(count = 1): Promise<void> {
    await expect.poll(() => this.asked.length).toBeGreaterThanOrEqual(count);
  }

  /** Closes standard input, as an editor does when it is closed. Resolves with the exit code. */
  async stop(): Promise<number | null> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return this.#child.exitCode;
    const exited = once(this.#child, "exit");
    this.#child.stdin.end();
    const [code] = (await exited) as [number | null];
    this.#connection.close();
    return code;
  }

  async kill(): Promise<void> {
    const exited = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await exited;
  }

  /** Bytes of any kind to the agent's standard input. */
  write(bytes: string): void {
    this.#child.stdin.write(bytes);
  }

  /** Forgets what it was asked: the next test begins. */
  forgetAsked(): void {
    this.asked.length = 0;
    this.withdrawn.length = 0;
    this.decide = undefined;
  }

  #connect({ fillIn, editor }: AcpClientOptions): ClientConnection {
    const app = client({ name: "test" })
      .onNotification(methods.client.session.update, ({ params }) => {
        this.updates.push(params);
      })
      .onRequest(methods.client.session.requestPermission, ({ params, signal }) => {
        this.asked.push(params);
        if (this.decide !== undefined) return this.decide(params);
        return new Promise<RequestPermissionResponse>((resolve) =>
          signal.addEventListener("abort", () => {
            this.withdrawn.push(params.toolCall.title);
            resolve({ outcome: { outcome: "cancelled" } });
          }),
        );
      });
    if (fillIn !== undefined) app.onRequest(methods.client.elicitation.create, ({ params }) => fillIn(params));
    editor?.join(app);
    return app.connect(
      ndJsonStream(
        Writable.toWeb(this.#child.stdin) as WritableStream<Uint8Array>,
        Readable.toWeb(this.#child.stdout) as ReadableStream<Uint8Array>,
      ),
    );
  }
}

/** Chooses the first option of this kind. */
export function choosing(kind: RequestPermissionRequest["options"][number]["kind"]) {
  return ({ options }: RequestPermissionRequest): RequestPermissionResponse => {
    const optionId = options.find((option) => option.kind === kind)?.optionId;
    return { outcome: optionId === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId } };
  };
}

/** How a request was rejected: JSON-RPC's number, and Caret's code where it has one. */
export async function refusal(request: Promise<unknown>): Promise<readonly [number, string | undefined]> {
  try {
    await request;
  } catch (reason) {
    if (reason instanceof RequestError)
      return [reason.code, (reason.data as { readonly code?: string } | undefined)?.code];
    throw reason;
  }
  throw new Error("The request was not rejected");
}
