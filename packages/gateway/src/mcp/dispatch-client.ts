import type { Caller, NativeClient, SessionExport, Sessions } from "@caret/protocol";

/** What dispatching needs of a gateway: the typed client of one in another process, or the port of our own. */
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
>;

/** The gateway's own sessions, on behalf of one caller. */
export function ownSessions(sessions: Sessions, caller: Caller): DispatchClient {
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
  };
}

async function toFile({ fileName, mediaType, chunks }: SessionExport) {
  return { fileName, content: new Blob(await Array.fromAsync(chunks), { type: mediaType }) };
}
