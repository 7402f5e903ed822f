import { type SessionView, sideCallTitle } from "@caret/protocol";
import { ArrowRight, Search, SquarePen } from "lucide-react";
import { Fragment, lazy, type ReactNode, Suspense, useEffect, useState } from "react";
import { Link } from "wouter";
import { useSessionActions } from "../composer/use-session-actions.ts";
import { usePageData } from "../data/page-data-context.tsx";
import { useAbout, useFailedSessions, usePageState, useWaitingSessions } from "../data/page-hooks.ts";
import { isForPerson } from "../data/session-list.ts";
import { SimulatedBadge } from "../parts/badge.tsx";
import { Duration } from "../parts/duration.tsx";
import { TextInput } from "../parts/field.tsx";
import { placeWords, shortPath } from "../parts/place-words.ts";
import { Spinner } from "../parts/placeholders.tsx";
import { StatusDot, statusWords } from "../parts/status-dot.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { TimeAgo } from "../parts/time-ago.tsx";
import { ScreenBoundary } from "../screen/screen-boundary.tsx";
import { ScreenFrame } from "../screen/screen-frame.tsx";
import { isMarkedSimulated, SimulatedNote } from "../screen/simulated-note.tsx";
import { TranscriptActionsProvider } from "../transcript/transcript-actions.ts";
import { SessionList } from "./session-list.tsx";

/** With its diffs it is needed only when something waits: not on the first load. */
const OpenApproval = lazy(async () => ({ default: (await import("../transcript/open-approval.tsx")).OpenApproval }));

const QuestionCard = lazy(async () => ({ default: (await import("../transcript/question-card.tsx")).QuestionCard }));

const AgentMessages = lazy(async () => ({ default: (await import("../agents/agent-messages.tsx")).AgentMessages }));

const shelves = [
  { name: "open", label: "Open" },
  { name: "archived", label: "Archived" },
  { name: "aside", label: "Side calls" },
] as const;

/** The others are in the list below. */
const MOST_FAILURES = 3;

/** Long enough not to ask at each letter. */
const TYPING_MS = 150;

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
      <Failures />
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
          <Fragment key={session.id}>
            {isForPerson(session.status) && <InboxRow session={session} />}
            {session.agent !== undefined && session.asksSince !== undefined && (
              <AskSuspense>
                <AgentMessages name={session.agent} since={session.asksSince} />
              </AskSuspense>
            )}
          </Fragment>
        ))}
      </ul>
    </section>
  );
}

/** A card that cannot be fetched while the gateway is away breaks its own row, not the list. */
function AskSuspense({ children }: { readonly children: ReactNode }) {
  return (
    <ScreenBoundary>
      <Suspense>{children}</Suspense>
    </ScreenBoundary>
  );
}

/** What has failed recently, with its reason, until it is gone on with or archived. */
function Failures() {
  const failed = useFailedSessions();
  if (failed.length === 0) return null;
  return (
    <section aria-labelledby="failures" className="mb-6">
      <h2 className="mb-2 font-medium text-[13px] text-soft" id="failures">
        Failed recently · {failed.length}
      </h2>
      <ul className="flex flex-col gap-2">
        {failed.slice(0, MOST_FAILURES).map((session) => (
          <li className="overflow-hidden rounded-lg border border-bad/40 bg-raised" key={session.id}>
            <Link className="flex min-h-14 items-center gap-3 px-4 py-2.5 hover:bg-ink/3" href={`/s/${session.id}`}>
              <StatusDot status={session.status} />
              <span className="min-w-0 flex-1">
                <span className="line-clamp-2 font-medium text-[13px] text-bad [overflow-wrap:anywhere]">
                  {session.lastLine}
                </span>
                <span className="block truncate text-[12px] text-faint">
                  {session.title || "Untitled"} · {shortPath(placeWords(session))}
                </span>
              </span>
              <span className="shrink-0 text-[12px] text-faint">
                <TimeAgo at={session.updatedAt} />
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

function SessionSearch() {
  const { search } = usePageData();
  const isLoading = usePageState(({ found }) => found?.isLoading === true);
  const [typed, setTyped] = useState("");
  const [shelf, setShelf] = useState<(typeof shelves)[number]["name"]>("open");
  useEffect(() => {
    const words = shelf === "aside" ? sideCallTitle(typed.trim()).trim() : typed.trim();
    const timer = setTimeout(search, typed === "" ? 0 : TYPING_MS, words, shelf === "archived");
    return () => clearTimeout(timer);
  }, [search, typed, shelf]);
  // Coming back shows the whole list.
  useEffect(() => () => search("", false), [search]);
  return (
    <search className="mb-4 flex flex-wrap items-center gap-2">
      <div className="relative min-w-48 flex-1">
        <span className="pointer-events-none absolute inset-y-0 left-2.5 flex items-center text-faint">
          {isLoading ? <Spinner /> : <Search aria-hidden="true" size={14} />}
        </span>
        <TextInput
          aria-label="Search sessions"
          className="pl-8"
          onChange={(event) => setTyped(event.target.value)}
          placeholder="Search sessions"
          type="search"
          value={typed}
        />
      </div>
      <Tabs chosen={shelf} label="Which sessions" onChoose={setShelf} tabs={shelves} />
    </search>
  );
}

/** What one session needs of a person, and the way there. */
function InboxRow({ session }: { readonly session: SessionView }) {
  const { id, title, status } = session;
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
          <span className="flex items-center gap-x-2">
            <span className="min-w-0 truncate font-medium">{title || "Untitled"}</span>
            {isMarkedSimulated(about, session) && <SimulatedBadge />}
          </span>
          <span className="block truncate text-[12px] text-faint">
            <span className="font-medium text-warn">
              {statusWords(status)} · <Duration since={status.since} />
            </span>{" "}
            · {shortPath(placeWords(session))}
          </span>
          {/* The card below says it, where there is one. */}
          {status.approval === undefined && status.question === undefined && (
            <span className="line-clamp-2 font-mono text-[13px] [overflow-wrap:anywhere]">{status.about}</span>
          )}
        </span>
        <ArrowRight aria-hidden="true" className="shrink-0 text-faint group-hover:text-ink" size={16} />
      </Link>
      <InboxAsk session={session} status={status} />
    </li>
  );
}

interface InboxAskProps {
  readonly session: SessionView;
  readonly status: Extract<SessionView["status"], { readonly kind: "waiting" }>;
}

/** The same card as in the session: what is decided or answered from the list is seen as whole as there. */
function InboxAsk({ session, status: { approval, question, since } }: InboxAskProps) {
  const actions = useSessionActions(session);
  if (approval === undefined && question === undefined) return null;
  const of = { seq: 0, at: since };
  return (
    <TranscriptActionsProvider value={actions}>
      <div className="px-2 pb-2">
        <AskSuspense>
          {approval !== undefined && (
            <OpenApproval
              isNext={false}
              item={{ kind: "approval", ...of, request: approval }}
              key={approval.requestId}
            />
          )}
          {question !== undefined && (
            <QuestionCard isOver={false} item={{ kind: "question", ...of, question }} key={question.requestId} />
          )}
        </AskSuspense>
      </div>
    </TranscriptActionsProvider>
  );
}
