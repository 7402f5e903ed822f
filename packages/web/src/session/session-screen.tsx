import type { SessionView } from "@caret/protocol";
import { ChevronLeft, FileDiff, History } from "lucide-react";
import { type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import { SessionComposer } from "../composer/session-composer.tsx";
import { useSessionActions } from "../composer/use-session-actions.ts";
import { usePageData } from "../data/page-data-context.tsx";
import { useAbout, useApi, useSession, useTranscript } from "../data/page-hooks.ts";
import type { SessionLog } from "../data/page-state.ts";
import { runningTurnId, runsElsewhere } from "../data/running-turn.ts";
import { SessionFinder } from "../find/session-finder.tsx";
import { SimulatedBadge } from "../parts/badge.tsx";
import { ErrorNote } from "../parts/error-note.tsx";
import { Empty, Spinner } from "../parts/placeholders.tsx";
import { StatusDot, statusWords } from "../parts/status-dot.tsx";
import { showError } from "../parts/toast.tsx";
import { WaitingCount } from "../screen/nav-link.tsx";
import { isSimulated } from "../screen/simulated-note.tsx";
import { SessionMenu } from "../sessions/session-menu.tsx";
import { Transcript } from "../transcript/transcript.tsx";
import type { TranscriptHandle } from "../transcript/transcript-handle.ts";
import { ExportMenu } from "../transfer/export-menu.tsx";
import { ForkLinks } from "./fork-links.tsx";
import { StateLine } from "./state-line.tsx";
import { StickyTodos } from "./sticky-todos.tsx";

export interface SessionScreenProps {
  readonly sessionId: string;
  /** The event to show, instead of the end. */
  readonly at?: number;
}

/** One session: what was said and done, what is going on, and where to go on. */
export function SessionScreen({ sessionId, at }: SessionScreenProps) {
  const session = useSession(sessionId);
  const log = useTranscript(sessionId);
  const { logs } = usePageData();
  if (log?.state === "failed" && log.error?.code === "session-not-found") return <NoSession />;
  if (log?.state === "failed" && log.error !== undefined)
    return (
      <div className="mx-auto max-w-lg p-6">
        <ErrorNote error={log.error.toInfo()} onRetry={() => logs.retry(sessionId)} />
      </div>
    );
  if (session === undefined || log === undefined || log.state === "loading")
    return (
      <p role="status" className="flex items-center justify-center gap-2 p-8 text-soft">
        <Spinner /> Opening the session…
      </p>
    );
  return <OpenSession key={sessionId} session={session} log={log} at={at} />;
}

function NoSession() {
  return (
    <Empty isScreen title="There is no such session">
      It was deleted, or the address is wrong.{" "}
      <Link className="text-accent underline underline-offset-2" href="/">
        Go to all sessions
      </Link>
    </Empty>
  );
}

interface OpenSessionProps {
  readonly session: SessionView;
  readonly log: SessionLog;
  readonly at: number | undefined;
}

function OpenSession({ session, log, at }: OpenSessionProps) {
  const { logs } = usePageData();
  const actions = useSessionActions(session);
  const [sent, setSent] = useState(0);
  const transcript = useRef<TranscriptHandle>(null);
  const turnId = runningTurnId(log.transcript, session.status);
  const { stop, isStopping } = useStop(session.id, turnId);
  const jump = useCallback(() => setSent((count) => count + 1), []);
  const loadOlder = useCallback(() => {
    logs.loadOlder(session.id).catch(showError);
  }, [logs, session.id]);
  useEscape(turnId === undefined || runsElsewhere(session.status) ? undefined : stop);
  return (
    <div className="flex h-full flex-col">
      <SessionHeader session={session} />
      <SessionFinder at={at} log={log} sessionId={session.id} transcript={transcript} />
      <ForkLinks session={session} />
      {log.transcript.turns.length === 0 ? (
        <div className="flex-1">
          <Empty title="Nothing has been asked yet">
            Write below what the agent should do{session.scratch === true ? "" : ` in ${session.workspace}`}.
          </Empty>
        </div>
      ) : (
        <Transcript
          transcript={log.transcript}
          actions={actions}
          hasOlder={log.hasOlder}
          isLoadingOlder={log.isLoadingOlder}
          onOlder={loadOlder}
          jumpSignal={sent}
          handle={transcript}
        />
      )}
      <div className="mx-auto w-full max-w-3xl px-2 pb-[max(8px,env(safe-area-inset-bottom))] md:px-4">
        <StickyTodos turns={log.transcript.turns} />
        <StateLine session={session} log={log} onShow={jump} />
        <SessionComposer
          session={session}
          turns={log.transcript.turns}
          turnId={turnId}
          isStopping={isStopping}
          onStop={stop}
          onSent={jump}
        />
      </div>
    </div>
  );
}

function useStop(sessionId: string, turnId: string | undefined) {
  const api = useApi();
  const [stopping, setStopping] = useState<string>();
  const stop = useCallback(() => {
    if (turnId === undefined) return;
    setStopping(turnId);
    api.cancelTurn(sessionId, turnId).catch((error: unknown) => {
      setStopping(undefined);
      showError(error);
    });
  }, [api, sessionId, turnId]);
  return { stop, isStopping: turnId !== undefined && stopping === turnId };
}

/** Escape stops, unless something that is open takes it for itself. */
function useEscape(stop: (() => void) | undefined): void {
  useEffect(() => {
    if (stop === undefined) return;
    const press = (event: KeyboardEvent): void => {
      if (event.key !== "Escape" || event.defaultPrevented || event.repeat) return;
      if (document.querySelector("dialog[open], [role=menu], [role=listbox]") === null) stop();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [stop]);
}

export function SessionHeader({ session }: { readonly session: SessionView }) {
  const about = useAbout();
  const [, goTo] = useLocation();
  return (
    <header className="flex min-h-12 items-center gap-2 border-line border-b px-3 md:px-4">
      <nav aria-label="Main" className="-ml-2 md:hidden">
        <Link className="flex min-h-10 min-w-10 items-center justify-center gap-1" href="/">
          <ChevronLeft aria-hidden="true" size={18} />
          <span className="sr-only">All sessions</span> <WaitingCount />
        </Link>
      </nav>
      <StatusDot status={session.status} />
      <span className="sr-only">{statusWords(session.status)}</span>
      <h1 className="min-w-0 flex-1 truncate font-semibold" title={session.title}>
        {session.title || "Untitled"}
      </h1>
      {/* A phone's line has no room for it; the lane below the transcript says it there. */}
      <span className="hidden md:inline-flex">
        {isSimulated(about, session.lane ?? about?.defaultLane) && <SimulatedBadge />}
      </span>
      <IconLink href={`/s/${session.id}/changes`} label="Changes in the workspace">
        <FileDiff aria-hidden="true" size={16} />
      </IconLink>
      <IconLink href={`/s/${session.id}/replay`} label="Replay this session" isForWideScreens>
        <History aria-hidden="true" size={16} />
      </IconLink>
      <ExportMenu sessionId={session.id} />
      <SessionMenu onDeleted={() => goTo("/")} session={session} />
    </header>
  );
}

interface IconLinkProps {
  readonly href: string;
  readonly label: string;
  readonly children: ReactNode;
  /** A phone's line has no room for it. */
  readonly isForWideScreens?: boolean;
}

function IconLink({ href, label, children, isForWideScreens = false }: IconLinkProps) {
  return (
    <Link
      href={href}
      aria-label={label}
      title={label}
      className={`size-10 shrink-0 items-center justify-center rounded-md text-soft hover:bg-panel hover:text-ink md:size-8 ${isForWideScreens ? "hidden md:inline-flex" : "inline-flex"}`}
    >
      {children}
    </Link>
  );
}
