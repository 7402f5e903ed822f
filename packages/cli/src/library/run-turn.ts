import type { CreateSession, EventEnvelope, NativeClient, StartedTurn, StartTurn } from "@caret/protocol";

export interface WantedTurn extends StartTurn, Pick<CreateSession, "workspace" | "lane"> {
  /** The session to continue, which already has a workspace and a lane. Default: a new one. */
  readonly sessionId?: string;
  /** Aborting cancels the turn; its end is still yielded. */
  readonly signal?: AbortSignal;
}

/** The events of one turn, from its `turn-start` to its `turn-end`. */
export type TurnEvents = AsyncGenerator<EventEnvelope, void, undefined>;

export async function* runTurn(client: NativeClient, wanted: WantedTurn): TurnEvents {
  const { sessionId, workspace, lane, signal, ...turn } = wanted;
  const started = await client.startTurn(sessionId ?? (await newSession(client, wanted)), turn);
  // A turn that ends at this moment can no longer be cancelled; its end tells the outcome.
  const cancel = (): Promise<void> => client.cancelTurn(started.sessionId, started.turnId).catch(() => undefined);
  const onAbort = (): void => void cancel();
  signal?.addEventListener("abort", onAbort);
  if (signal?.aborted === true) onAbort();
  let hasEnded = false;
  try {
    for await (const envelope of eventsOf(client, started)) {
      hasEnded = envelope.event.type === "turn-end";
      yield envelope;
    }
  } finally {
    signal?.removeEventListener("abort", onAbort);
    if (!hasEnded) await cancel();
  }
}

async function newSession(client: NativeClient, { workspace, lane }: WantedTurn): Promise<string> {
  const where = workspace === undefined ? {} : { workspace };
  const how = lane === undefined ? {} : { lane };
  return (await client.createSession({ ...where, ...how })).id;
}

async function* eventsOf(client: NativeClient, { sessionId, turnId, firstSeq }: StartedTurn): TurnEvents {
  const leaving = new AbortController();
  try {
    for await (const batch of client.followEvents(sessionId, { after: firstSeq - 1, signal: leaving.signal })) {
      const own = batch.filter((envelope) => envelope.turnId === turnId);
      yield* own;
      if (own.at(-1)?.event.type === "turn-end") return;
    }
  } finally {
    leaving.abort();
  }
}
