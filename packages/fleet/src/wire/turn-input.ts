import type { Caller, ConversationRequest, StartTurn } from "@caret/protocol";

/** What a stateless door asks for: the answer to one request. */
export interface ConversationInput {
  readonly door: "stateless";
  readonly request: ConversationRequest;
  readonly caller: Caller;
  /** The gateway that serves the client. */
  readonly gateway: string;
}

/** What the native door asks for: the turn of a session. */
export interface NativeInput {
  readonly door: "native";
  readonly sessionId: string;
  readonly wanted: StartTurn;
  readonly caller: Caller;
}
