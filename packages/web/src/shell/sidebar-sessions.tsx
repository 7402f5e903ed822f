import type { SessionView } from "@caret/protocol";
import { memo, useEffect, useRef } from "react";
import { Link, useRoute } from "wouter";
import { useAbout } from "../data/use-about.ts";
import { usePageState } from "../data/use-page-state.ts";
import { useSessions } from "../data/use-sessions.ts";
import { StatusDot } from "../parts/status-dot.tsx";
import { statusWords } from "../parts/status-words.ts";
import { looksSame } from "../sessions/looks-same.ts";
import { isMarkedSimulated } from "./is-simulated.ts";

/** More are one key away, in the palette and on the list. */
const MOST_SHOWN = 60;

/** The sessions of late, with what each is doing. */
export function SidebarSessions() {
  const sessions = useSessions();
  const isListed = usePageState(({ isListed }) => isListed);
  const [, params] = useRoute<{ readonly id: string }>("/s/:id/*?");
  const about = useAbout();
  return (
    <div className="mt-3 min-h-0 flex-1 overflow-y-auto px-2 pb-2">
      <h2 className="px-2 pb-1 font-medium text-[12px] text-faint" id="recent-sessions">
        Recent
      </h2>
      {isListed && sessions.length === 0 && <p className="px-2 text-[13px] text-faint">No sessions yet</p>}
      <ul aria-labelledby="recent-sessions" className="flex flex-col gap-px">
        {sessions.slice(0, MOST_SHOWN).map((session) => (
          <SidebarSession
            isHere={params?.id === session.id}
            isMadeUp={isMarkedSimulated(about, session)}
            key={session.id}
            session={session}
          />
        ))}
      </ul>
    </div>
  );
}

interface SidebarSessionProps {
  readonly session: SessionView;
  readonly isHere: boolean;
  readonly isMadeUp: boolean;
}

const SidebarSession = memo(function SidebarSession({ session, isHere, isMadeUp }: SidebarSessionProps) {
  const words = statusWords(session.status);
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isHere) row.current?.scrollIntoView({ block: "nearest" });
  }, [isHere]);
  return (
    <li ref={row}>
      <Link
        aria-current={isHere ? "page" : undefined}
        className="flex min-h-8 items-center gap-2 rounded-md px-2 text-[13px] text-soft hover:bg-ink/5 hover:text-ink aria-[current=page]:bg-ink/8 aria-[current=page]:text-ink"
        href={`/s/${session.id}`}
        title={`${session.title} · ${words}`}
      >
        <StatusDot status={session.status} />
        <span className="min-w-0 flex-1 truncate">{session.title || "Untitled"}</span>
        <span className="sr-only">{words}</span>
        {isMadeUp && <span className="text-[11px] text-faint">simulated</span>}
      </Link>
    </li>
  );
}, hasSameLook);

function hasSameLook(before: SidebarSessionProps, after: SidebarSessionProps): boolean {
  return (
    before.isHere === after.isHere && before.isMadeUp === after.isMadeUp && looksSame(before.session, after.session)
  );
}
