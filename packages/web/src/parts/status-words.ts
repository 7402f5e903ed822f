import type { SessionStatus } from "@caret/protocol";

const outcomes = { completed: "Done", cancelled: "Stopped", failed: "Failed" } as const;
const waits = {
  approval: "Waiting for your approval",
  question: "Waiting for your answer",
  client: "Waiting for the client",
} as const;

/** What a session is doing, in words. How long it has been, `Duration` says. */
export function statusWords(status: SessionStatus): string {
  switch (status.kind) {
    case "idle":
      return "Not started";
    case "running":
      return status.elsewhere === true ? "Running in a terminal" : "Running";
    case "waiting":
      return waits[status.waitsFor];
    case "ended":
      return outcomes[status.outcome];
  }
}
