import type { SessionView } from "@caret/protocol";
import { FileDiff, History } from "lucide-react";
import type { ReactNode } from "react";
import { Link, useLocation } from "wouter";
import { useAbout } from "../data/use-about.ts";
import { SimulatedBadge } from "../parts/simulated-badge.tsx";
import { StatusDot } from "../parts/status-dot.tsx";
import { statusWords } from "../parts/status-words.ts";
import { SessionMenu } from "../sessions/session-menu.tsx";
import { isSimulated } from "../shell/is-simulated.ts";
import { ExportMenu } from "../transfer/export-menu.tsx";

export function SessionHeader({ session }: { readonly session: SessionView }) {
  const about = useAbout();
  const [, goTo] = useLocation();
  return (
    <header className="flex min-h-12 items-center gap-2 border-line border-b px-3 md:px-4">
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
      <IconLink href={`/s/${session.id}/replay`} label="Replay this session" isForDesks>
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
  readonly isForDesks?: boolean;
}

function IconLink({ href, label, children, isForDesks = false }: IconLinkProps) {
  return (
    <Link
      href={href}
      aria-label={label}
      title={label}
      className={`size-10 shrink-0 items-center justify-center rounded-md text-soft hover:bg-panel hover:text-ink md:size-8 ${isForDesks ? "hidden md:inline-flex" : "inline-flex"}`}
    >
      {children}
    </Link>
  );
}
