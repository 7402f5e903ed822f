/** The processes of a fleet that have the same queues. */
export interface AgentsElsewhere {
  /** Something was put into this receiver's queue, or may start now. */
  announce(receiver: string): void;
  /** Calls back when another process may have announced something. Gives what ends it. */
  onAnnounced(look: () => void): () => void;
  /** Calls back when the turn of a session has begun, ended or waits in another process; without one: any may have. */
  onTurn(look: (sessionId?: string) => void): () => void;
}
