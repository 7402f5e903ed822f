import type { Caller, TurnShare } from "@caret/protocol";

type Connection = Caller["connection"];

/**
 * Tracks which answers have certainly arrived: over HTTP/1.1 a connection's next request is accepted only after the previous answer was
 * read. A client that repeats a request on it has lost nothing and wants another answer.
 */
export interface ArrivedAnswers {
  /** The same turn, which also notes when its answer has gone out on the connection. */
  watch(turn: TurnShare, connection: Connection): TurnShare;
  /** Whether this turn's answer to its question was the last one on the connection. */
  has(turnId: string, connection: Connection): boolean;
}

export function createArrivedAnswers(): ArrivedAnswers {
  const last = new WeakMap<NonNullable<Connection>, string>();
  return {
    watch(turn, connection) {
      if (connection === undefined) return turn;
      const leave: TurnShare["leave"] = (how) => {
        turn.leave(how);
        if (how === "answered" && turn.startsTurn) last.set(connection, turn.turnId);
        else last.delete(connection);
      };
      return { ...turn, leave };
    },
    has: (turnId, connection) => connection !== undefined && last.get(connection) === turnId,
  };
}
