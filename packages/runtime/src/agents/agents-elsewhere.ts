/** The processes of a fleet that share these queues. */
export interface AgentsElsewhere {
  /** Something was put into this receiver's queue, or may start now. */
  announce(receiver: string): void;
  /** Calls back when another process may have announced something. Returns unsubscribe. */
  onAnnounced(look: () => void): () => void;
  /**
   * Calls back when a session's turn has begun, ended or waits in another process; without an id, it may be any session. Returns
   * unsubscribe.
   */
  onTurn(look: (sessionId?: string) => void): () => void;
}
