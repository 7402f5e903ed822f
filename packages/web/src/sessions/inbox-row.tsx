import type { AgentEventOf, SessionView } from "@caret/protocol";
import { ArrowRight } from "lucide-react";
import { lazy, Suspense } from "react";
import { Link } from "wouter";
import { useAbout } from "../data/use-about.ts";
import { Duration } from "../parts/duration.tsx";
import { SimulatedBadge } from "../parts/simulated-badge.tsx";
import { StatusDot } from "../parts/status-dot.tsx";
import { statusWords } from "../parts/status-words.ts";
import { isMarkedSimulated } from "../shell/is-simulated.ts";
import { TranscriptActionsProvider } from "../transcript/transcript-actions.ts";
import { useSessionActions } from "../transcript/use-session-actions.ts";
import { shortPath } from "./short-path.ts";

/** With its diffs it is needed only when something waits: not on the first load. */
const OpenApproval = lazy(async () => ({ default: (await import("../transcript/open-approval.tsx")).OpenApproval }));

/** What one session needs of a person, and the way there. */
export function InboxRow({ session }: { readonly session: SessionView }) {
  const { id, title, status, workspace } = session;
  const about = useAbout();
  if (status.kind !== "waiting") return null;
  return (
    <li className="overflow-hidden rounded-lg border border-warn/50 bg-raised">
      <Link
        className="group flex min-h-14 items-center gap-3 px-4 py-2.5 transition-colors duration-100 hover:bg-ink/3"
        href={`/s/${id}`}
      >
        <StatusDot status={status} />
        <span className="min-w-0 flex-1">
          <span className="flex flex-wrap items-center gap-x-2 text-[13px]">
            <span className="font-medium text-warn">
              {statusWords(status)} · <Duration since={status.since} />
            </span>
            {isMarkedSimulated(about, session) && <SimulatedBadge />}
          </span>
          <span className="line-clamp-2 font-mono text-[13px] [overflow-wrap:anywhere]">{status.about}</span>
          <span className="block truncate text-[12px] text-faint">
            {title || "Untitled"} · {shortPath(workspace)}
          </span>
        </span>
        <ArrowRight aria-hidden="true" className="shrink-0 text-faint group-hover:text-ink" size={16} />
      </Link>
      {status.approval !== undefined && (
        <InboxApproval request={status.approval} session={session} since={status.since} />
      )}
    </li>
  );
}

interface InboxApprovalProps {
  readonly session: SessionView;
  readonly request: AgentEventOf<"approval-request">;
  readonly since: number;
}

/** The same card as in the session: what is decided from the list is seen as whole as there. */
function InboxApproval({ session, request, since }: InboxApprovalProps) {
  const actions = useSessionActions(session.id);
  return (
    <TranscriptActionsProvider value={actions}>
      <div className="px-2 pb-2">
        <Suspense>
          <OpenApproval
            isNext={false}
            item={{ kind: "approval", seq: 0, at: since, request }}
            key={request.requestId}
          />
        </Suspense>
      </div>
    </TranscriptActionsProvider>
  );
}
