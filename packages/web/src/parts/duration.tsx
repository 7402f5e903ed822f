import { formatDuration } from "./format-duration.ts";
import { useNow } from "./use-now.ts";

/** How long it has been since then, ticking. */
export function Duration({ since }: { readonly since: number }) {
  const seconds = Math.max(0, Math.floor((useNow() - since) / 1000));
  return <span className="tabular-nums">{seconds === 0 ? "0 s" : formatDuration(seconds * 1000)}</span>;
}
