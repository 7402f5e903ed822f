import type { SessionStatus } from "@caret/protocol";

const outcomes = { completed: "Done", cancelled: "Stopped", failed: "Failed" } as const;

const waits = {
  approval: "Waiting for your approval",
  question: "Waiting for your answer",
  client: "Waiting for the client",
} as const;

const looks = {
  idle: "border border-faint",
  running: "bg-accent motion-safe:animate-pulse",
  waiting: "bg-warn",
  completed: "bg-good",
  cancelled: "bg-faint",
  failed: "bg-bad",
} as const;

/** The colour of a status. The words beside it say the same: see `statusWords`. */
export function StatusDot({ status }: { readonly status: SessionStatus }) {
  const look = status.kind === "ended" ? looks[status.outcome] : looks[status.kind];
  return <span aria-hidden="true" className={`inline-block size-2 shrink-0 rounded-full ${look}`} />;
}

/** What a session is doing, in words. How long it has been, `Duration` says. */
export function statusWords(status: SessionStatus): string {
  switch (status.kind) {
    case "idle":
      return "Not started";
    case "running":
      return status.elsewhere === true ? "Running in a terminal" : "Running";
    case "waiting":
      return status.waitsFor === "machine" ? `Waiting for ${status.about}` : waits[status.waitsFor];
    case "ended":
      return outcomes[status.outcome];
  }
}
