import type { Caller, TurnShare } from "@caret/protocol";

type Connection = Caller["connection"];

/**
 * Which answers have surely arrived: HTTP/1.1 takes the next request of a connection only after the answer before it was
 * read. A client that asks the same again on it has lost nothing, and wants another answer.
 */
export interface ArrivedAnswers {
  /** The same turn, which takes note when its answer has gone out on the connection. */
  watch(turn: TurnShare, connection: Connection): TurnShare;
  /** Was this turn's answer to its question the last one on the connection? */
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
