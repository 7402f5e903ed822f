/**
 * In what `agent acp` differs from what a client of the protocol expects, and whether the newest version does so. A scenario
 * switches each of them by name.
 */
export const acpQuirks = {
  /** Its own requests are numbered from 0, which a client may take for no number at all. */
  "ids-from-zero": true,
  /** A server of `session/new` is left out, without a word, unless the project's approvals name it already. */
  "approved-servers-only": true,
  /** A tool that was running when its turn was cancelled gets no last update. */
  "open-cancelled-tools": true,
  /** A second prompt cancels the one that runs. */
  "prompt-cancels-prompt": true,
  /** A plan that is accepted ends the turn: nobody begins with the work. */
  "plan-ends-turn": true,
  /** What goes wrong upstream is text of the answer, and the turn ends well. */
  "errors-as-text": true,
  /** A call that failed or was refused has the status `completed`. */
  "failures-completed": true,
  /** The end of its input does not end it. */
  "stays-after-eof": true,
  /** The model is chosen for all sessions of the process. */
  "model-per-process": true,
  /** The slash commands are announced in the middle of the first turn. */
  "late-commands": true,
  /** Cursor's own requests do not say which session they are about. */
  "asks-without-session": true,
  /** Without `authenticate` no session is ever made, and nothing says so. */
  "authenticate-first": false,
  /** The agent has no tool to ask a question with. */
  "no-ask-question": false,
  /** A call is announced twice. */
  "repeated-tool-calls": false,
  /** Todos and tasks come as notifications and not as requests. */
  "todos-as-notification": false,
  /** A plan is an object with a title, and not text with a name. */
  "plan-as-object": false,
  /** What a subagent says comes under a session id of its own. */
  "subagents-apart": false,
  /** Says how much of the context is used; no version that was seen does. */
  "usage-updates": false,
  /** The servers of `session/new` are never looked at. */
  "no-session-servers": false,
} as const satisfies Readonly<Record<string, boolean>>;

export type AcpQuirk = keyof typeof acpQuirks;
export const acpQuirkNames = Object.keys(acpQuirks) as readonly AcpQuirk[];

/** Whether a quirk is on. */
export type HasQuirk = (quirk: AcpQuirk) => boolean;

export function chooseQuirks(switched: Partial<Record<AcpQuirk, boolean | undefined>>): HasQuirk {
  return (quirk) => switched[quirk] ?? acpQuirks[quirk];
}
