interface ErrorEntry {
  /** Whether the same turn may succeed if simply retried. */
  readonly retryable: boolean;
  /** What the person should do. Shown wherever the error is shown. */
  readonly fix: string;
}

/**
 * Every way Caret can fail, and what to do about it.
 *
 * The list is closed: each door maps every code in its own table, so a new code does not compile until each of them has decided how to show
 * it. Branch on the code, never on a message.
 */
export const errorCatalogue = {
  "not-logged-in": { retryable: false, fix: "Run `agent login`, or set CURSOR_API_KEY to a valid key." },
  "bad-key": { retryable: false, fix: "Check the API key; a set but wrong CURSOR_API_KEY also hides a good login." },
  "model-unknown": { retryable: false, fix: "Choose one of the listed models; `caret models` prints them all." },
  "model-unavailable": { retryable: false, fix: "Choose another model, `auto` for instance, or change your plan." },
  "usage-limit": { retryable: false, fix: "Switch to another model, raise the spend limit, or wait for the reset." },
  "rate-limited": { retryable: true, fix: "Wait a moment and try again." },
  "policy-disabled": { retryable: false, fix: "Ask your team's administrator to allow this in Cursor's settings." },
  "workspace-untrusted": { retryable: false, fix: "Add the directory to Caret's allowed workspaces." },
  "workspace-missing": { retryable: false, fix: "Create the directory, or choose one that exists." },
  "workspace-forbidden": { retryable: false, fix: "Choose a workspace on the allow-list, or add this one to it." },
  "cli-missing": { retryable: false, fix: "Install Cursor's agent CLI, or set `cli.command` to where it is." },
  "cli-not-executable": { retryable: false, fix: "Make the file executable, or point `cli.command` at the right one." },
  "cli-broken": { retryable: false, fix: "Reinstall the agent CLI; the file named by `cli.command` does not run." },
  "cli-outdated": { retryable: false, fix: "Run `agent update`." },
  "prompt-too-long": { retryable: false, fix: "Send the prompt on standard input instead of as an argument." },
  "no-result": { retryable: true, fix: "Try again; if it happens again, look at the upstream words." },
  "agent-crashed": { retryable: true, fix: "Try again; if it happens again, look at the upstream words." },
  "agent-unavailable": { retryable: true, fix: "The machine is short of processes, files or memory: try again." },
  "upstream-error": { retryable: false, fix: "Read the upstream words: Cursor ended this turn with an error." },
  "upstream-unreachable": { retryable: true, fix: "Check the network connection and try again." },
  "protocol-drift": { retryable: false, fix: "Update Caret: the agent speaks a newer protocol than it knows." },
  "protocol-violation": { retryable: false, fix: "Repair the agent program: what it sent is not in its protocol." },
  "too-large": { retryable: false, fix: "Ask for less at once, or raise the limit that was named." },
  stalled: { retryable: true, fix: "Try again; raise the clock that was named if the agent was merely slow." },
  "timed-out": { retryable: true, fix: "Try again, or raise `clocks.turnMs`." },
  killed: {
    retryable: true,
    fix: "Something ended the agent from outside; look at the machine's memory, then try again.",
  },
  interrupted: { retryable: true, fix: "See what was done, then go on with the session." },
  cancelled: { retryable: false, fix: "Nothing to do: the turn was cancelled on request." },
  "budget-exceeded": { retryable: false, fix: "Raise the budget that was named, or wait for the next day." },
  "loop-stopped": {
    retryable: false,
    fix: "Give the agent more to go on: it repeated the same call in vain. `loops` sets how often it may.",
  },
  "session-not-found": { retryable: false, fix: "List the sessions with `caret sessions ls`." },
  "session-busy": { retryable: true, fix: "Wait until the running turn of this session has ended." },
  "session-corrupt": { retryable: false, fix: "Start a new session: the agent's chat store cannot be read." },
  "answer-not-kept": {
    retryable: false,
    fix: "Go on with the conversation, or send the request under a new key to have it answered again.",
  },
  "previous-response-not-found": {
    retryable: false,
    fix: "Send the whole input without `previous_response_id`.",
  },
  "invalid-request": { retryable: false, fix: "Correct the request as the message says." },
  "invalid-config": {
    retryable: false,
    fix: "Correct the setting that was named; `caret config validate` checks all.",
  },
  unauthenticated: { retryable: false, fix: "Send a valid token." },
  forbidden: { retryable: false, fix: "Use a token with the scope this needs." },
  "not-found": { retryable: false, fix: "Check the address." },
  overloaded: { retryable: true, fix: "Wait a moment and try again." },
  "storage-full": { retryable: true, fix: "Free some disk space." },
  "storage-locked": { retryable: false, fix: "Stop the other gateway, or use another data directory." },
  "storage-failed": { retryable: false, fix: "Check the disk and the data directory's permissions." },
  "sandbox-unavailable": { retryable: false, fix: "Install bubblewrap, or choose a turn without a sandbox." },
  "tool-unknown": { retryable: false, fix: "Offer the tool, or use one of those offered." },
  "tool-not-called": { retryable: false, fix: "Ask for something the tool is good for, or do not demand a call." },
  "format-not-met": {
    retryable: false,
    fix: "Ask for something that the format can hold, or loosen the schema.",
  },
  unsupported: { retryable: false, fix: "Choose a lane that can do this." },
  internal: { retryable: false, fix: "This is a bug in Caret: please report it." },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof errorCatalogue;

export const errorCodes = Object.keys(errorCatalogue) as [ErrorCode, ...ErrorCode[]];
