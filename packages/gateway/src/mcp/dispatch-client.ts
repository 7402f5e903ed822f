import type { Caller, Comparisons, NativeClient, SessionExport, Sessions } from "@caret/protocol";

/** What dispatching needs of a gateway: the typed client of one in another process, or our own ports. */
export type DispatchClient = Pick<
  NativeClient,
  | "listSessions"
  | "getSession"
  | "createSession"
  | "startTurn"
  | "cancelTurn"
  | "answerQuestion"
  | "answerApproval"
  | "readLog"
  | "followEvents"
  | "exportSession"
  | "changes"
  | "startComparison"
  | "getComparison"
  | "followComparison"
  | "pickCandidate"
  | "dropComparison"
>;

export interface OwnPorts {
  readonly sessions: Sessions;
  readonly comparisons: Comparisons;
}

/** The gateway's own ports, on behalf of one caller. */
export function ownClient({ sessions, comparisons }: OwnPorts, caller: Caller): DispatchClient {
  return {
    listSessions: (query = {}) => sessions.list(query, caller),
    getSession: (id) => sessions.get(id, caller),
    createSession: (wanted) => sessions.create(wanted, caller),
    startTurn: (id, wanted) => sessions.startTurn(id, wanted, caller),
    cancelTurn: (id, turnId) => sessions.cancelTurn(id, turnId, caller),
    answerQuestion: (id, requestId, answer) => sessions.answerQuestion(id, requestId, answer, caller),
    answerApproval: (id, requestId, answer) => sessions.answerApproval(id, requestId, answer, caller),
    readLog: (id, query = {}) => sessions.readLog(id, query, caller),
    followEvents: (id, { after, signal }) => sessions.followLog(id, { after, signal }, caller),
    exportSession: async (id, format) => toFile(await sessions.exportSession(id, format, caller)),
    changes: (id) => sessions.changes(id, caller),
    startComparison: (wanted) => comparisons.start(wanted, caller),
    getComparison: (id) => comparisons.get(id, caller),
    followComparison: (id, { signal }) => comparisons.follow(id, signal, caller),
    pickCandidate: (id, wanted) => comparisons.pick(id, wanted, caller),
    dropComparison: (id, wanted) => comparisons.drop(id, caller, wanted),
  };
}

async function toFile({ fileName, mediaType, chunks }: SessionExport) {
  return { fileName, content: new Blob(await Array.fromAsync(chunks), { type: mediaType }) };
}
