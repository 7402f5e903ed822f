import { isRecord, parseRecord } from "../json/json.ts";

export type Params = Readonly<Record<string, unknown>>;

/** An answer of JSON-RPC that is an error. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export interface RpcPeerOptions {
  readonly write: (line: string) => void;
  readonly firstId: number;
  /** Answers a request; what it throws becomes an error. */
  readonly answer: (method: string, params: Params) => Promise<unknown>;
  readonly notified: (method: string, params: Params) => void;
}

/** One end of JSON-RPC over lines: takes the other end's, and asks it things. */
export interface RpcPeer {
  take(line: string): void;
  notify(method: string, params: Params): void;
  /** Rejects with an `RpcError` when the answer is one. */
  request(method: string, params: Params): Promise<unknown>;
}

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: RpcError) => void;
}

export function createRpcPeer({ write, firstId, answer, notified }: RpcPeerOptions): RpcPeer {
  const waiting = new Map<unknown, Waiting>();
  let nextId = firstId;
  const send = (message: Params): void => write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

  async function reply(id: unknown, method: string, params: Params): Promise<void> {
    try {
      send({ id, result: await answer(method, params) });
    } catch (reason) {
      const error = reason instanceof RpcError ? reason : new RpcError(-32603, String(reason));
      const data = error.data === undefined ? {} : { data: error.data };
      send({ id, error: { code: error.code, message: error.message, ...data } });
    }
  }

  function settle(message: Params): void {
    const { id, error } = message;
    const one = waiting.get(id);
    waiting.delete(id);
    if (!isRecord(error)) one?.resolve(message["result"]);
    else one?.reject(new RpcError(Number(error["code"]), String(error["message"])));
  }

  return {
    take(line) {
      const message = parseRecord(line);
      if (message === undefined) return send({ id: null, error: { code: -32700, message: "Parse error" } });
      const { method, id, params } = message;
      const given = isRecord(params) ? params : {};
      if (typeof method !== "string") settle(message);
      else if (id === undefined) notified(method, given);
      else void reply(id, method, given);
    },
    notify: (method, params) => send({ method, params }),
    request: (method, params) =>
      new Promise((resolve, reject) => {
        const id = nextId++;
        waiting.set(id, { resolve, reject });
        send({ id, method, params });
      }),
  };
}
