import { usePageData } from "../data/page-data-context.tsx";
import { useLine } from "../data/use-line.ts";
import { Duration } from "../parts/duration.tsx";
import { Spinner } from "../parts/spinner.tsx";

/** Says that what is shown may be old, as long as it may be. */
export function LineNote() {
  const line = useLine();
  const { api } = usePageData();
  return (
    <div aria-live="polite">
      {line.state === "reconnecting" && (
        <div className="flex min-h-10 items-center gap-2 border-warn/40 border-b bg-warn/10 px-4 text-[13px] text-warn md:min-h-8">
          <Spinner />
          <span className="min-w-0 flex-1 truncate">
            Disconnected for <Duration since={line.since} />; reconnecting
            <span className="hidden sm:inline"> · what you see may be out of date</span>
          </span>
          <button className="font-medium underline underline-offset-2" onClick={api.retryNow} type="button">
            Try now
          </button>
        </div>
      )}
    </div>
  );
}
