import type { SessionView } from "@caret/protocol";
import { EllipsisVertical, Search } from "lucide-react";
import { memo, useEffect, useRef } from "react";
import { Link, useRoute } from "wouter";
import { useAbout, usePageState, useSessions } from "../data/page-hooks.ts";
import { Kbd } from "../parts/kbd.tsx";
import { Menu } from "../parts/menu.tsx";
import { StatusDot, statusWords } from "../parts/status-dot.tsx";
import { NavLink, newSessionRoute, sessionsRoute, useOtherRoutes, WaitingCount } from "../screen/nav-link.tsx";
import { isMarkedSimulated, SimulatedNote } from "../screen/simulated-note.tsx";
import { looksSame } from "../sessions/session-row.tsx";
import { useShellActions } from "./shell-actions.ts";
import { commandKey } from "./shortcuts.ts";
import { useMoreActions } from "./use-more-actions.tsx";

/** More are one key away, in the palette and on the list. */
const MOST_SHOWN = 60;

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

/** Navigation on a wide screen. */
export function Sidebar() {
  const otherRoutes = useOtherRoutes();
  return (
    <nav aria-label="Main" className="hidden w-64 shrink-0 flex-col border-line border-r bg-panel md:flex">
      <div className="flex items-center justify-between gap-2 px-3 pt-3 pb-2">
        <span className="flex items-center gap-2 font-semibold text-[15px]">
          <img alt="" className="size-5" src="./icon.svg" /> Caret
        </span>
        <MoreMenu />
      </div>
      <div className="flex flex-col gap-px px-2">
        <SearchButton />
        <NavLink href={newSessionRoute.href} icon={newSessionRoute.icon}>
          {newSessionRoute.label}
        </NavLink>
        <NavLink extra={<WaitingCount />} href={sessionsRoute.href} icon={sessionsRoute.icon}>
          {sessionsRoute.label}
        </NavLink>
      </div>
      <SidebarSessions />
      <div className="flex flex-col gap-px border-line border-t px-2 py-2">
        <SimulatedNote />
        {otherRoutes.map(({ href, label, icon }) => (
          <NavLink href={href} icon={icon} key={href}>
            {label}
          </NavLink>
        ))}
      </div>
    </nav>
  );
}

function SearchButton() {
  const { show } = useShellActions();
  return (
    <button
      className="mb-1 flex min-h-8 items-center gap-2 rounded-md border border-line bg-raised px-2 text-[13px] text-faint hover:text-ink"
      onClick={() => show("palette")}
      type="button"
    >
      <Search aria-hidden="true" size={14} />
      <span className="flex-1 text-left">Search or go to…</span>
      <Kbd keys={`${commandKey()} K`} />
    </button>
  );
}

/** What is needed seldom, behind one button. */
function MoreMenu() {
  const items = useMoreActions();
  return <Menu icon={<EllipsisVertical aria-hidden="true" size={16} />} items={items} label="More" />;
}

/** The sessions of late, with what each is doing. */
function SidebarSessions() {
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

function hasSameLook(before: SidebarSessionProps, after: SidebarSessionProps): boolean {
  return (
    before.isHere === after.isHere && before.isMadeUp === after.isMadeUp && looksSame(before.session, after.session)
  );
}
