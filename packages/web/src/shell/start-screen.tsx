import { useConnection } from "../data/page-hooks.ts";
import { ErrorNote } from "../parts/error-note.tsx";
import { Spinner } from "../parts/placeholders.tsx";

/** While the page does not know yet whether it is signed in. */
export function StartScreen() {
  const { reason } = useConnection();
  return (
    <main className="flex min-h-full items-center justify-center p-4">
      <div className="flex w-full max-w-sm flex-col gap-3">
        <p className="flex items-center justify-center gap-2 text-soft" role="status">
          <Spinner /> {reason === undefined ? "Connecting to the gateway…" : "Trying again…"}
        </p>
        {reason !== undefined && <ErrorNote error={reason.toInfo()} />}
      </div>
    </main>
  );
}
