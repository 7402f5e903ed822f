import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { create } from "@bufbuild/protobuf";
import { type AgentEvent, Secret } from "@caret/protocol";
import { type AgentClientMessage, AgentClientMessageSchema, AgentService } from "@caret/protocol/agent-api/run";
import { createApiLane, createLazyLinks, defaultRetries, openConversationStore } from "@caret/runtime";
import { createClient } from "@connectrpc/connect";
import { createConnectTransport, Http2SessionManager } from "@connectrpc/connect-node";

/** Runs one turn of so many deltas. Gives how many characters arrived, and when the first did. */
export type Contestant = (deltas: number) => Promise<Taken>;

export interface Taken {
  readonly characters: number;
  readonly firstMs: number;
}

export interface FloodingUpstream {
  readonly url: string;
  connections(): Promise<number>;
  stop(): void;
}

export async function startFloodingUpstream(): Promise<FloodingUpstream> {
  const child = fork(fileURLToPath(new URL("./flooding-upstream.ts", import.meta.url)));
  const [{ port }] = (await once(child, "message")) as [{ readonly port: number }];
  return {
    url: `http://127.0.0.1:${port}`,
    async connections() {
      const answer = once(child, "message");
      child.send("connections");
      const [answered] = (await answer) as [{ readonly connections: number }];
      return answered.connections;
    },
    stop: () => child.disconnect(),
  };
}

/** The least that a client of the library does: it takes each message and looks at its text. */
export function bareClient(url: string): Contestant {
  const sessionManager = new Http2SessionManager(url);
  return async (deltas) => {
    const baseUrl = `${url}/${deltas}`;
    const client = createClient(AgentService, createConnectTransport({ baseUrl, httpVersion: "2", sessionManager }));
    const closing = new AbortController();
    const counter = createCounter();
    for await (const { message } of client.run(oneRequest(closing.signal)))
      if (message.case === "interactionUpdate" && message.value.message.case === "textDelta")
        counter.noteText(message.value.message.value.text);
    closing.abort();
    return counter.taken();
  };
}

/** A run is a stream of both sides: the client's stays open until the server has ended. */
async function* oneRequest(signal: AbortSignal): AsyncGenerator<AgentClientMessage> {
  const action = { action: { case: "userMessageAction", value: { userMessage: { text: "Go" } } } } as const;
  yield create(AgentClientMessageSchema, { message: { case: "runRequest", value: { action } } });
  if (!signal.aborted) await once(signal, "abort");
}

export interface CaretLane {
  readonly take: Contestant;
  close(): Promise<void>;
}

/** Caret's lane, from the request to its events. */
export function caretLane(url: string): CaretLane {
  const directory = mkdtempSync(join(tmpdir(), "caret-bench-api-"));
  const links = createLazyLinks({ ca: undefined });
  const conversations = openConversationStore({ directory });
  let ids = 0;
  const laneFor = (deltas: number) => {
    const endpoint = new URL(`${url}/${deltas}`);
    const token = async () => ({ secret: new Secret("bench"), madeFrom: "bench" });
    return createApiLane({
      endpoints: () => ({ control: endpoint, agent: endpoint }),
      httpVersion: "2",
      links: { open: (_, version) => links.open(endpoint, version), close: () => undefined },
      credentials: () => ({ madeFrom: async () => "bench", accessToken: token, replaceRejected: token }),
      conversations,
      cliConfigDir: directory,
      programs: () => ({ profiles: [], fallbackModels: [] }),
      machine: { os: "linux", shell: "/bin/sh", timeZone: "UTC" },
      clocks: { firstEventMs: 60_000, idleMs: 60_000, toolMs: 60_000, turnMs: 600_000, graceMs: 1_000 },
      retries: defaultRetries,
      maxMessageBytes: 16 * 1024 * 1024,
      noteSecrets: () => undefined,
      newId() {
        ids += 1;
        return `bench-${ids}`;
      },
      monotonic: () => performance.now(),
      wallClock: Date.now,
    });
  };
  const lanes = new Map<number, ReturnType<typeof laneFor>>();
  const take: Contestant = async (deltas) => {
    const lane = lanes.get(deltas) ?? laneFor(deltas);
    lanes.set(deltas, lane);
    const counter = createCounter();
    const request = {
      turnId: "bench",
      prompt: "Go",
      workspace: directory,
      model: "auto",
      mode: "agent",
      force: false,
      upstream: undefined,
      offered: undefined,
      previousTurnId: undefined,
      loadHistory: async () => [],
      acts: { hasActed: false, note: () => undefined, noteEvents: () => undefined },
    } as const;
    const note: Parameters<typeof lane.runTurn>[1] = (entries) => {
      for (const { event } of entries) counter.note(event);
    };
    await lane.runTurn(request, note, new AbortController().signal);
    return counter.taken();
  };
  return {
    take,
    async close() {
      links.close();
      await conversations.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Counts what arrives, from now on. */
function createCounter() {
  const startedAt = performance.now();
  let firstMs = 0;
  let characters = 0;
  const noteText = (text: string): void => {
    if (characters === 0) firstMs = performance.now() - startedAt;
    characters += text.length;
  };
  return {
    noteText,
    note(event: AgentEvent): void {
      if (event.type === "text-delta") noteText(event.text);
      else if (event.type === "turn-end" && event.outcome.kind !== "completed") throw new Error(JSON.stringify(event));
    },
    taken: (): Taken => ({ characters, firstMs }),
  };
}
