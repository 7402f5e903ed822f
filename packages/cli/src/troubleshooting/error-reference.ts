import { type ErrorCode, errorCatalogue, errorCodes } from "@caret/protocol";

/** What each error code means, for people who look it up. */
const meanings: Readonly<Record<ErrorCode, string>> = {
  "not-logged-in": "Cursor wants a login, and none was found that this lane can use.",
  "bad-key": "Cursor did not accept the API key.",
  "model-unknown": "No listed model has this name, nor a name that it could mean.",
  "model-unavailable": "The model exists, but not for this account, plan or region.",
  "usage-limit": "The plan's allowance for this model is used up; the message names the reset where Cursor does.",
  "rate-limited": "Cursor asks for fewer requests at a time.",
  "policy-disabled": "Your team's settings forbid this.",
  "workspace-untrusted": "Cursor's CLI does not trust the directory, and nobody could be asked.",
  "workspace-missing": "The directory that the turn should work in is not there.",
  "workspace-forbidden": "The directory is not among those that turns may work in.",
  "cli-missing": "Cursor's agent CLI was not found.",
  "cli-not-executable": "The agent CLI was found, but the system does not let it run.",
  "cli-broken": "The agent CLI was started and is not what it should be.",
  "cli-outdated": "Cursor refuses this version of the CLI.",
  "prompt-too-long": "The prompt does not fit on a command line.",
  "no-result": "The agent ended without saying how its turn ended.",
  "agent-crashed": "The agent's process ended with a signal or an exit code.",
  "agent-unavailable": "The system could not start the agent's process.",
  "upstream-error": "Cursor itself ended the turn with an error.",
  "upstream-unreachable": "Cursor's servers could not be reached, or the connection was lost for good.",
  "protocol-drift": "The agent or the server said something that this version of Caret cannot go on with.",
  "protocol-violation": "A program of your own broke the protocol that it is spoken to with.",
  "too-large": "A line, a prompt, a file or an answer is over a limit, which the message names.",
  stalled: "The agent was silent for longer than one of the clocks allows.",
  "timed-out": "The turn, or what was waited for, took longer than it may.",
  killed: "Something other than Caret ended the agent; often the kernel, for lack of memory.",
  interrupted: "The process that ran the turn ended before the turn did.",
  cancelled: "A client or a person asked for the turn to be stopped.",
  "budget-exceeded": "The turn, the session or the day has used what `budgets` allows.",
  "loop-stopped": "The agent made the same call with the same result again and again.",
  "session-not-found": "There is no session of this id, or it is not for this token.",
  "session-busy": "Another turn of the session runs, or another process writes it.",
  "session-corrupt": "The agent's own record of the chat cannot be read.",
  "answer-not-kept": "The request was answered before, and the answer is not there any more.",
  "previous-response-not-found":
    "A request continues a response that was never kept, was deleted, or is older than 30 days.",
  "invalid-request": "The request or the command line is not as it should be; the message names the field.",
  "invalid-config": "A setting, or a file that was named, is not as it should be.",
  unauthenticated: "The request came without a token, or with one that is not valid.",
  forbidden: "The token is valid, but not for this.",
  "not-found": "The gateway has nothing at this address.",
  overloaded: "The gateway, or the log, has more to do than it takes on.",
  "storage-full": "The disk of the data directory is full.",
  "storage-locked": "Another gateway holds the data directory.",
  "storage-failed": "The data directory could not be read or written.",
  "sandbox-unavailable": "A sandbox was asked for, and this machine cannot make one.",
  "tool-unknown": "A tool was named that nobody offered.",
  "tool-not-called": "The client demanded a tool call, and the agent made none.",
  "format-not-met":
    "The client demanded JSON that matches a schema, and the agent answered otherwise, also when it was asked once more.",
  unsupported: "No lane that may be taken can do this.",
  internal: "Caret did what it should never do.",
};

/** The table of all codes in `docs/troubleshooting.md`. */
export function errorReference(): string {
  const rows = errorCodes.map((code) => {
    const { fix, retryable } = errorCatalogue[code];
    return `| \`${code}\` | ${meanings[code]} | ${fix} | ${retryable ? "yes" : "no"} |`;
  });
  return ["| Code | What happened | What to do | Try again? |", "|---|---|---|---|", ...rows].join("\n");
}
