import { Secret } from "@caret/protocol";
import type { EventStore } from "../../log/event-store.ts";
import { createSecretKeeper, type SecretKeeper } from "../../redaction/secret-keeper.ts";
import { createTurnWriter, type TurnWriter } from "../turn-writer.ts";

export interface OpenedWriter {
  readonly sessionId?: string;
  readonly maxRawBytes?: number;
  /** Secrets that its redactor knows. */
  readonly known?: readonly string[];
}

/** The writer of the turn `t`, the first of its session, at time 7, with the keeper of its secrets. */
export function openTurnWriter(
  store: Pick<EventStore, "append">,
  { sessionId = "s", maxRawBytes = 100, known = [] }: OpenedWriter = {},
): { readonly log: TurnWriter; readonly keeper: SecretKeeper } {
  const keeper = createSecretKeeper(known.map((value) => new Secret(value)));
  const log = createTurnWriter({
    store,
    redactor: keeper.redactor,
    sessionId,
    turnId: "t",
    lastSeq: 0,
    maxRawBytes,
    wallClock: () => 7,
    onFailure: () => undefined,
    onEnd: () => undefined,
    newCallId: () => "call",
  });
  return { log, keeper };
}
