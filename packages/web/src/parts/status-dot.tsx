import type { SessionStatus } from "@caret/protocol";

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
