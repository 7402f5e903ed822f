import { SquarePen } from "lucide-react";
import { Link } from "wouter";
import { usePageState } from "../data/use-page-state.ts";
import { useWaitingSessions } from "../data/use-waiting-sessions.ts";
import { ScreenFrame } from "../screen/screen-frame.tsx";
import { SimulatedNote } from "../shell/simulated-note.tsx";
import { InboxRow } from "./inbox-row.tsx";
import { SessionList } from "./session-list.tsx";
import { SessionSearch } from "./session-search.tsx";

/** First what waits for a person, then every session by day. */
export function SessionsScreen() {
  return (
    <ScreenFrame
      actions={
        <Link
          className="inline-flex min-h-10 items-center gap-1.5 rounded-md bg-accent px-3 font-medium text-[13px] text-on-accent hover:opacity-90 md:min-h-8"
          href="/new"
        >
          <SquarePen aria-hidden="true" size={14} /> New session
        </Link>
      }
      title="Sessions"
    >
      <div className="md:hidden">
        <SimulatedNote />
      </div>
      <Inbox />
      <SessionSearch />
      <SessionList />
    </ScreenFrame>
  );
}

function Inbox() {
  const waiting = useWaitingSessions();
  const isListed = usePageState(({ isListed }) => isListed);
  return (
    <section aria-labelledby="inbox" className="mb-6">
      <h2 className="mb-2 font-medium text-[13px] text-soft" id="inbox">
        Waiting for you{waiting.length > 0 && ` · ${waiting.length}`}
      </h2>
      {waiting.length === 0 && isListed && (
        <p className="rounded-lg border border-line border-dashed px-4 py-3 text-faint">
          Nothing needs you right now. Approvals and questions of all sessions appear here.
        </p>
      )}
      <ul aria-live="polite" className="flex flex-col gap-2">
        {waiting.map((session) => (
          <InboxRow key={session.id} session={session} />
        ))}
      </ul>
    </section>
  );
}
