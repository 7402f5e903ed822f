import { once } from "node:events";
import { type AgentEvent, CaretError } from "@caret/protocol";
import { afterEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import {
  exchange,
  type StartedServer,
  type StartOptions,
  startServer,
  statusOf,
} from "../../../server/testing/start-server.ts";
import {
  aborted,
  createScriptedConversations,
  ends,
  fails,
  type Script,
  type ScriptedConversations,
  says,
} from "../../openai/testing/scripted-answers.ts";

const servers: StartedServer[] = [];
const sockets: WebSocket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.terminate();
  await Promise.all(servers.splice(0).map(({ app }) => app.close()));
});

interface Started extends StartedServer {
  readonly conversations: ScriptedConversations;
}

async function start(script: Script, options: StartOptions = {}): Promise<Started> {
  let made = 0;
  const conversations = createScriptedConversations(script);
  const server = await startServer(conversations, { newId: () => String(++made), ...options });
  servers.push(server);
  return { ...server, conversations };
}

interface WireEvent {
  readonly type: string;
  readonly status?: number;
  readonly sequence_number?: number;
  readonly error?: { readonly code: string; readonly message: string; readonly param: string | null };
  readonly response?: { readonly id: string; readonly status: string; readonly output: readonly unknown[] };
}

/** A client that sends a request and reads up to the response, or refusal, that ends it. */
class Client {
  readonly socket: WebSocket;
  readonly #read: WireEvent[] = [];
  #news = Promise.withResolvers<void>();

  constructor({ port }: StartedServer, headers: Record<string, string> = {}) {
    this.socket = new WebSocket(`ws://127.0.0.1:${port}/v1/responses`, {
      headers: { authorization: "Bearer good", ...headers },
    });
    sockets.push(this.socket);
    // `terminate` ends a refused connection with an error, which adds nothing.
    this.socket.on("error", () => undefined);
    this.socket.on("message", (data) => {
      this.#read.push(JSON.parse(String(data)) as WireEvent);
      this.#news.resolve();
      this.#news = Promise.withResolvers();
    });
  }

  async send(message: object | string): Promise<void> {
    if (this.socket.readyState === this.socket.CONNECTING) await once(this.socket, "open");
    this.socket.send(typeof message === "string" ? message : JSON.stringify(message));
  }

  create(fields: object): Promise<void> {
    return this.send({ type: "response.create", model: "auto", store: false, ...fields });
  }

  async next(): Promise<WireEvent> {
    for (;;) {
      const event = this.#read.shift();
      if (event !== undefined) return event;
      await this.#news.promise;
    }
  }

  async untilEnd(): Promise<WireEvent[]> {
    const events: WireEvent[] = [];
    for (;;) {
      const event = await this.next();
      events.push(event);
      if (/^(error|response\.(completed|incomplete|failed))$/.test(event.type)) return events;
    }
  }

  async ask(fields: object): Promise<WireEvent> {
    await this.create(fields);
    return (await this.untilEnd()).at(-1) as WireEvent;
  }
}

const hello: Script = () => [says("Hi."), [ends]];
const idOf = (event: WireEvent) => event.response?.id;
const crashed = new CaretError("agent-crashed", "The agent crashed").toInfo();

describe("the Responses API over a WebSocket", () => {
  it("makes one response after the other, each with its own events, numbered from 0, and no [DONE]", async () => {
    const client = new Client(await start(hello));
    await client.create({ input: "One" });
    await client.create({ input: "Two" });
    const both = [await client.untilEnd(), await client.untilEnd()];
    expect(both.map((events) => events.map(({ type }) => type.replace("response.", "")))).toEqual(
      both.map(() => [
        "created",
        "in_progress",
        "output_item.added",
        "content_part.added",
        "output_text.delta",
        "output_text.done",
        "content_part.done",
        "output_item.done",
        "completed",
      ]),
    );
    expect(both.map((events) => events.map(({ sequence_number }) => sequence_number))).toEqual(
      both.map((events) => events.map((_, index) => index)),
    );
  });

  it("goes on from what was not stored, with only what is new, while the connection is open", async () => {
    const server = await start(hello);
    const client = new Client(server);
    const first = await client.ask({ input: "One" });
    const second = await client.ask({ input: "Two", previous_response_id: idOf(first) });
    await client.ask({ input: "Three", previous_response_id: idOf(second) });
    expect(server.conversations.opened.at(-1)?.request.messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "user",
      "assistant",
      "user",
    ]);
    const other = new Client(server);
    const lost = await other.ask({ input: "Four", previous_response_id: idOf(second) });
    expect([lost.type, lost.status, lost.error?.code, lost.error?.param]).toEqual([
      "error",
      400,
      "previous_response_not_found",
      "previous_response_id",
    ]);
    expect((await other.ask({ input: "Again" })).type).toBe("response.completed");
  });

  it("goes on from what was stored, over any connection and over HTTP", async () => {
    const server = await start(hello);
    const { response } = await new Client(server).ask({ input: "One", store: true });
    const later = await new Client(server).ask({ input: "Two", previous_response_id: response?.id });
    const reply = await fetch(`${server.url}/v1/responses/${response?.id}`, {
      headers: { authorization: "Bearer good" },
    });
    expect([later.type, await reply.json()]).toEqual(["response.completed", response]);
  });

  it.each([
    ["the result of a call that was never made", [{ type: "function_call_output", call_id: "c9", output: "?" }]],
    ["a turn that fails", "fail"],
  ])("forgets what a request went on from that failed: %s", async (_, input) => {
    const script: Script = ({ messages }) =>
      JSON.stringify(messages).includes("fail") ? [says("Half"), [fails(crashed)]] : [says("Hi."), [ends]];
    const client = new Client(await start(script));
    const first = await client.ask({ input: "One" });
    const failed = await client.ask({ input, previous_response_id: idOf(first) });
    const again = await client.ask({ input: "Two", previous_response_id: idOf(first) });
    expect([/error|failed/.test(failed.type), again.error?.code]).toEqual([true, "previous_response_not_found"]);
  });

  it("answers nothing to generate: false, and goes on from it", async () => {
    const server = await start(hello);
    const client = new Client(server);
    const rules = { role: "developer", content: "Rules." };
    await client.create({ input: [{ role: "user", content: "One" }, rules], generate: false });
    const warm = await client.untilEnd();
    expect([warm.map(({ type }) => type), warm.at(-1)?.response?.output, server.conversations.opened.length]).toEqual([
      ["response.created", "response.in_progress", "response.completed"],
      [],
      0,
    ]);
    await client.ask({
      input: [{ role: "user", content: "Two" }],
      previous_response_id: idOf(warm.at(-1) as WireEvent),
    });
    await client.create({ input: [rules], generate: false });
    const rulesAlone = (await client.untilEnd()).at(-1) as WireEvent;
    await client.ask({ input: [{ role: "user", content: "Three" }], previous_response_id: idOf(rulesAlone) });
    const asks = (text: string) => ({ role: "user", parts: [{ kind: "text", text }] });
    expect(server.conversations.opened.map(({ request: { system, messages } }) => [system, messages])).toEqual([
      ["Rules.", [asks("One"), asks("Two")]],
      ["Rules.", [asks("Three")]],
    ]);
  });

  it.each([
    ["no JSON", "{", "A message must be a JSON object."],
    ["a list", "[]", "A message must be a JSON object."],
    ["no type", "{}", 'type: must be "response.create", not undefined.'],
    ["another type", '{"type":"response.cancel"}', 'type: must be "response.create", not "response.cancel".'],
    ["no input", '{"type":"response.create"}', "input: must be a string or a list of items."],
    [
      "one in the background",
      '{"type":"response.create","input":"x","background":true}',
      "background: a WebSocket is for",
    ],
    ["a stream of many", '{"type":"response.create","input":"x","stream_id":"a"}', "stream_id: one response at a time"],
    ["an odd generate", '{"type":"response.create","input":"x","generate":"no"}', "generate: must be true or false."],
  ])("refuses %s with the status of HTTP, and goes on", async (_, message, words) => {
    const client = new Client(await start(hello));
    await client.send(message);
    const [refusal] = await client.untilEnd();
    expect([refusal?.status, refusal?.error?.message.slice(0, words.length)]).toEqual([400, words]);
    expect((await client.ask({ input: "x" })).type).toBe("response.completed");
  });

  it("has one end for a failure in the middle, so that the next response begins after it", async () => {
    const client = new Client(await start(() => [says("Half"), [fails(crashed)]]));
    await client.create({ input: "One" });
    await client.create({ input: "Two" });
    const ends = [(await client.untilEnd()).at(-1)?.type, (await client.untilEnd()).at(-1)?.type];
    expect(ends).toEqual(["response.failed", "response.failed"]);
  });

  it("names a failure before the first word with its status and headers, for Codex in Codex' way", async () => {
    const server = await start(() => [[fails(crashed)]]);
    const { status, error } = await new Client(server).ask({ input: "One" });
    const forCodex = await new Client(server, { originator: "codex_exec" }).ask({ input: "One" });
    expect([status, error?.code, forCodex.type, forCodex.response?.status]).toEqual([
      424,
      "agent_crashed",
      "response.failed",
      "failed",
    ]);
  });

  it("gives up the response of a client that goes away", async () => {
    const server = await start(async function* (_, signal) {
      yield says("Half");
      await aborted(signal);
    });
    const client = new Client(server);
    await client.create({ input: "One" });
    while ((await client.next()).type !== "response.output_text.delta");
    client.socket.terminate();
    await expect(server.conversations.left).resolves.toBe("gone");
  });

  it("is closed after bytes that are no text, and after more messages than may wait", async () => {
    const server = await start(async function* (_, signal) {
      yield says("Half");
      await aborted(signal);
    });
    const binary = new Client(server);
    await once(binary.socket, "open");
    binary.socket.send(Buffer.from("{}"));
    const flood = new Client(server);
    for (let count = 0; count < 12; count += 1) await flood.create({ input: "One" });
    const closed = await Promise.all(
      [binary, flood].map(async ({ socket }) => (await once(socket, "close"))[0] as number),
    );
    expect(closed).toEqual([1003, 1008]);
  });

  it("gets an error when the connection has reached its age limit, and is closed", async () => {
    const client = new Client(await start(hello, { socketAgeMs: 1 }));
    const [{ error }, [code]] = await Promise.all([client.next(), once(client.socket, "close")]);
    expect([error?.code, code]).toEqual(["websocket_connection_limit_reached", 1001]);
  });

  it("is closed when the server stops: at once when idle, else after its response", async () => {
    const goOn = Promise.withResolvers<void>();
    const server = await start(async function* () {
      yield [
        { type: "text-start", blockId: "b" },
        { type: "text-delta", blockId: "b", text: "Half" },
      ] as AgentEvent[];
      await goOn.promise;
      yield [{ type: "text-end", blockId: "b" }, ends] as AgentEvent[];
    });
    const [idle, busy] = [new Client(server), new Client(server)];
    await once(idle.socket, "open");
    await busy.create({ input: "One" });
    while ((await busy.next()).type !== "response.output_text.delta");
    const closing = server.app.close();
    const [left] = (await once(idle.socket, "close")) as [number];
    goOn.resolve();
    const last = (await busy.untilEnd()).at(-1)?.type;
    const [after] = (await once(busy.socket, "close")) as [number];
    await closing;
    expect([left, last, after]).toEqual([1001, "response.completed", 1001]);
  });
});

describe("an upgrade to a WebSocket", () => {
  it.each([
    ["without a token", { authorization: "" }, 401],
    ["with a wrong token", { authorization: "Bearer wrong" }, 401],
    ["with a token for something else", { authorization: "Bearer page" }, 403],
    ["from a page of another site", { origin: "https://evil.test" }, 403],
    ["to another host", { host: "evil.test" }, 403],
  ])("%s is refused", async (_, headers, status) => {
    const { socket } = new Client(await start(hello), headers);
    const [, response] = (await once(socket, "unexpected-response")) as [unknown, { statusCode: number }];
    expect(response.statusCode).toBe(status);
  });

  it("is what a plain GET is asked for", async () => {
    const { port } = await start(hello);
    const head = ["GET /v1/responses HTTP/1.1", `Host: 127.0.0.1:${port}`, "Authorization: Bearer good", "", ""];
    const answer = await exchange(port, head.join("\r\n"));
    expect([statusOf(answer), /^upgrade: (.+)$/im.exec(answer)?.[1]]).toEqual([426, "websocket"]);
  });

  it("ends with the token", async () => {
    const server = await start(hello);
    const client = new Client(server);
    await once(client.socket, "open");
    server.tokens.delete("good");
    const [code] = (await once(client.socket, "close")) as [number];
    expect(code).toBe(1008);
  });
});
