import type { CommitChanges, CommittedChanges, DiscardHunk } from "../api/native-requests.ts";
import type { ChangesView } from "../api/session-view.ts";
import { at, get, post, sendCommand } from "./native-calls.ts";
import type { NativeWire, RequestOptions } from "./native-wire.ts";

/** Reads, discards and commits changes in a session's workspace. */
export interface ChangeCalls {
  /** Uncommitted changes in the workspace. */
  changes(sessionId: string, options?: RequestOptions): Promise<ChangesView>;
  /** Changes in the workspace since the session began. */
  sessionChanges(sessionId: string, options?: RequestOptions): Promise<ChangesView>;
  discardHunk(sessionId: string, wanted: DiscardHunk, options?: RequestOptions): Promise<void>;
  commitChanges(sessionId: string, wanted: CommitChanges, options?: RequestOptions): Promise<CommittedChanges>;
}

export function changeCalls(wire: NativeWire): ChangeCalls {
  return {
    changes: (id, options) => get(wire, at`sessions/${id}/changes`, {}, options),
    sessionChanges: (id, options) => get(wire, at`sessions/${id}/changes`, { since: "session" }, options),
    discardHunk: (id, wanted, options) => sendCommand(wire, at`sessions/${id}/changes/discard`, wanted, options),
    commitChanges: (id, wanted, options) => post(wire, at`sessions/${id}/changes/commit`, wanted, options),
  };
}
