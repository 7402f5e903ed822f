import { isJsonObject, type JsonObject, parseJson } from "@caret/protocol";
import { createLineSplitter } from "../../decode/framing/line-splitter.ts";
import type { ChildHandle } from "../../process/child-handle.ts";
import { RpcRefusal } from "./rpc-refusal.ts";

/** A request or notification from the agent, with its raw line. */
export interface AgentMessage {
  readonly method: string;
  readonly params: JsonObject;
  readonly raw: string;
}

export interface RpcConnectionOptions {
  readonly child: ChildHandle;
  readonly maxLineBytes: number;
  /** Returns the answer. A rejection is sent as a refusal. */
  readonly onRequest: (message: AgentMessage) => Promise<unknown>;
  readonly onNotification: (message: AgentMessage) => void;
  /** All lines of one read were passed on. A promise pauses reading until it settles. */
  readonly onRead: () => Promise<void> | undefined;
  /** Reading has ended. */
  readonly onEnd: (reason: unknown) => void;
}

/** JSON-RPC with an agent, one message per line over its standard input and output. */
export interface RpcConnection {
  /** Rejects with an `RpcRefusal` if the agent answers with an error, and with the reason passed to `end`. */
  request(method: string, params: JsonObject): Promise<JsonObject>;
  notify(method: string, params: JsonObject): void;
  /** Rejects all pending requests. */
  end(reason: unknown): void;
}

/** Skips lines that are not messages: they are no reason to end all sessions of a process. */
export function openRpcConnection(options: RpcConnectionOptions): RpcConnection {
  const { child, onRequest, onNotification, onRead, onEnd } = options;
  const splitter = createLineSplitter({ maxLineBytes: options.maxLineBytes });
  const waiting = new Map<number, PromiseWithResolvers<JsonObject>>();
  let nextId = 1;
  let ended: { readonly reason: unknown } | undefined;

  const send = (message: JsonObject): void => {
    void child.writeStdin(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  };
  const end = (reason: unknown): void => {
    ended ??= { reason };
    for (const { reject } of waiting.values()) reject(reason);
    waiting.clear();
  };
  const reply = (id: unknown, message: AgentMessage): void => {
    // An id may be 0 or text: return it unchanged.
    void onRequest(message).then(
      (result) => send({ id, result }),
      (reason: unknown) => send({ id, error: RpcRefusal.from(reason).toJson() }),
    );
  };
  const onAnswer = ({ id, result, error }: JsonObject): void => {
    const asked = typeof id === "number" ? waiting.get(id) : undefined;
    if (asked === undefined) return;
    waiting.delete(id as number);
    if (isJsonObject(error)) asked.reject(RpcRefusal.of(error));
    else asked.resolve(isJsonObject(result) ? result : {});
  };
  const onLine = (raw: string): void => {
    const message = parseJson(raw);
    if (!isJsonObject(message)) return;
    const { method, id } = message;
    if (typeof method !== "string") return onAnswer(message);
    const params = isJsonObject(message["params"]) ? message["params"] : {};
    if (id === undefined) onNotification({ method, params, raw });
    else reply(id, { method, params, raw });
  };

  void child.stdout
    .read((chunk) => {
      const { lines, failure } = splitter.push(chunk);
      for (const line of lines) onLine(line);
      if (failure !== undefined) throw failure;
      return onRead();
    })
    .then(() => onEnd(undefined), onEnd);

  return {
    request(method, params) {
      if (ended !== undefined) return Promise.reject(ended.reason);
      const asked = Promise.withResolvers<JsonObject>();
      const id = nextId++;
      waiting.set(id, asked);
      send({ id, method, params });
      return asked.promise;
    },
    notify: (method, params) => send({ method, params }),
    end,
  };
}
