import { CaretError, type JsonObject } from "@caret/protocol";

const METHOD_NOT_FOUND = -32_601;
const INTERNAL = -32_603;

/** A JSON-RPC error response: the agent's to us, or ours to the agent. */
export class RpcRefusal extends Error {
  override readonly name = "RpcRefusal";
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }

  static of({ code, message }: JsonObject): RpcRefusal {
    return new RpcRefusal(typeof code === "number" ? code : INTERNAL, typeof message === "string" ? message : "");
  }

  static from(reason: unknown): RpcRefusal {
    return reason instanceof RpcRefusal ? reason : new RpcRefusal(INTERNAL, CaretError.from(reason).message);
  }

  /** Refuses a method we do not support, at once: an agent without an answer waits for ever. */
  static unknownMethod(method: string): RpcRefusal {
    return new RpcRefusal(METHOD_NOT_FOUND, `Method not found: ${method}`);
  }

  toJson(): JsonObject {
    return { code: this.code, message: this.message };
  }
}
