import type { Caller, ConversationRequest, StartTurn } from "@caret/protocol";

/** A stateless door's request: the answer to one request. */
export interface ConversationInput {
  readonly door: "stateless";
  readonly request: ConversationRequest;
  readonly caller: Caller;
  /** The gateway that serves the client. */
  readonly gateway: string;
}

/** The native door's request: a turn of a session. */
export interface NativeInput {
  readonly door: "native";
  readonly sessionId: string;
  readonly wanted: StartTurn;
  readonly caller: Caller;
}
