import { formatTimeAgo } from "./format-time-ago.ts";
import { useNow } from "./use-now.ts";

export function TimeAgo({ at }: { readonly at: number }) {
  const now = useNow();
  return (
    <time className="whitespace-nowrap tabular-nums" dateTime={new Date(at).toISOString()} title={exactly(at)}>
      {formatTimeAgo(at, now)}
    </time>
  );
}

function exactly(at: number): string {
  return new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "medium" }).format(at);
}
