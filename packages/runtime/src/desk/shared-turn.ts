import type { AgentEvent } from "@caret/protocol";
import type { RunningTurn } from "../engine/session-engine.ts";
import type { TurnState } from "../lineage/classify-transcript.ts";
import type { DeskTurn } from "./turn-desk.ts";

export interface SharedTurnOptions {
  readonly turn: RunningTurn;
  /** The client names its conversation, so that the same transcript again is the same client asking again. */
  readonly isNamed: boolean;
  /** How long a turn goes on when nobody listens any more; a client that lost its connection may come back meanwhile. */
  readonly graceMs: number;
  /** How long after its end a turn can still be joined. */
  readonly joinMs: number;
  readonly now: () => number;
}

/** A turn and the clients that have a share in it. */
export interface SharedTurn {
  readonly turn: RunningTurn;
  /** When it ended; undefined while it runs. */
  readonly endedAt: number | undefined;
  take(relation: DeskTurn["relation"]): DeskTurn;
  state(): TurnState;
  /** Resolves as soon as nobody has a share in it; at once when nobody has. */
  abandoned(): Promise<void>;
  cancel(reason: string): void;
}

export function createSharedTurn({ turn, isNamed, graceMs, joinMs, now }: SharedTurnOptions): SharedTurn {
  let shares = 0;
  let endedAt: number | undefined;
  let isCompleted = false;
  let isCancelled = false;
  /** Somebody was given the whole answer. */
  let isDelivered = false;
  let timer: NodeJS.Timeout | undefined;
  let bell = Promise.withResolvers<void>();
  void turn.outcome.then(({ kind }) => {
    endedAt = now();
    isCompleted = kind === "completed";
    clearTimeout(timer);
  });

  const cancel = (reason: string): void => {
    if (endedAt !== undefined) return;
    isCancelled = true;
    turn.cancel(reason);
  };

  const drop = (): void => {
    shares -= 1;
    if (shares > 0) return;
    bell.resolve();
    if (endedAt === undefined) timer = setTimeout(() => cancel("The client has left"), graceMs).unref();
  };

  async function* follow(signal: AbortSignal): AsyncGenerator<readonly AgentEvent[], void, undefined> {
    for await (const batch of turn.follow({ signal })) {
      isDelivered ||= batch.at(-1)?.event.type === "turn-end";
      yield batch.map(({ event }) => event);
    }
  }

  return {
    turn,
    get endedAt() {
      return endedAt;
    },
    take(relation) {
      shares += 1;
      clearTimeout(timer);
      bell = Promise.withResolvers<void>();
      let hasLeft = false;
      return {
        turnId: turn.turnId,
        sessionId: turn.sessionId,
        model: turn.model,
        relation,
        follow,
        outcome: turn.outcome,
        leave() {
          if (hasLeft) return;
          hasLeft = true;
          drop();
        },
      };
    },
    state() {
      if (endedAt !== undefined)
        return isCompleted && now() - endedAt <= joinMs && (isNamed || !isDelivered) ? "joinable" : "over";
      if (isCancelled) return "over";
      // Without a name two clients may well ask the same at the same time, each for itself.
      return isNamed || shares === 0 ? "joinable" : "running";
    },
    abandoned: () => (shares === 0 ? Promise.resolve() : bell.promise),
    cancel,
  };
}
