import { Search } from "lucide-react";
import { Kbd } from "../parts/kbd.tsx";
import { commandKey } from "./command-key.ts";
import { newSessionPlace, otherPlaces, sessionsPlace } from "./destinations.tsx";
import { MoreMenu } from "./more-menu.tsx";
import { NavLink } from "./nav-link.tsx";
import { useShellActions } from "./shell-actions.ts";
import { SidebarSessions } from "./sidebar-sessions.tsx";
import { SimulatedNote } from "./simulated-note.tsx";
import { WaitingCount } from "./waiting-count.tsx";

/** The way around on a desk. */
export function Sidebar() {
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
        <NavLink href={newSessionPlace.href} icon={newSessionPlace.icon}>
          {newSessionPlace.label}
        </NavLink>
        <NavLink extra={<WaitingCount />} href={sessionsPlace.href} icon={sessionsPlace.icon}>
          {sessionsPlace.label}
        </NavLink>
      </div>
      <SidebarSessions />
      <div className="flex flex-col gap-px border-line border-t px-2 py-2">
        <SimulatedNote />
        {otherPlaces.map(({ href, label, icon }) => (
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
