import type { FleetView, FleetWaitView } from "@caret/protocol";
import { Link } from "wouter";
import { usePageState } from "../data/page-hooks.ts";
import { Duration } from "../parts/duration.tsx";
import { Words } from "../parts/field.tsx";
import { unlistedWaits, waitFix, waitWords } from "./fleet-words.ts";

/** The turns that wait, the oldest first: which, for what, since when, and what to do about it. */
export function WaitingTurns({ fleet }: { readonly fleet: FleetView }) {
  const more = unlistedWaits(fleet);
  return (
    <section aria-labelledby="fleet-waiting">
      <h2 className="mb-2 font-medium" id="fleet-waiting">
        Waiting turns
      </h2>
      {fleet.waiting.length === 0 ? (
        <p className="text-soft">No turn waits for a worker.</p>
      ) : (
        <ul
          aria-labelledby="fleet-waiting"
          className="divide-y divide-line overflow-hidden rounded-lg border border-line bg-raised"
        >
          {fleet.waiting.map((wait) => (
            <WaitingTurn key={wait.turnId} wait={wait} />
          ))}
        </ul>
      )}
      {more > 0 && <p className="mt-2 text-[13px] text-soft">And {more} more.</p>}
    </section>
  );
}

function WaitingTurn({ wait }: { readonly wait: FleetWaitView }) {
  const fix = waitFix(wait);
  return (
    <li className="px-3 py-2.5 [overflow-wrap:anywhere] sm:px-4">
      <p className="font-medium">
        <TurnName wait={wait} />
      </p>
      <p className="text-warn">
        {waitWords(wait)} · <Duration since={wait.since} />
      </p>
      {fix !== undefined && (
        <p className="text-[13px] text-soft">
          <Words text={fix} />
        </p>
      )}
    </li>
  );
}

/** The title where the page knows the session: those of other users it does not. */
function TurnName({ wait: { sessionId } }: { readonly wait: FleetWaitView }) {
  const title = usePageState(({ sessions }) => (sessionId === undefined ? undefined : sessions.get(sessionId)?.title));
  if (sessionId === undefined) return "A request of a client without a session";
  return (
    <Link className="inline-flex min-h-6 items-center underline hover:text-accent" href={`/s/${sessionId}`}>
      {title || `Session ${sessionId.slice(0, 8)}`}
    </Link>
  );
}
