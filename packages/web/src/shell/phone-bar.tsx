import { Menu, Search } from "lucide-react";
import type { ReactNode } from "react";
import { Link, useRoute } from "wouter";
import { type Destination, newSessionPlace, sessionsPlace } from "./destinations.tsx";
import { useShellActions } from "./shell-actions.ts";
import { WaitingCount } from "./waiting-count.tsx";

const look =
  "relative flex min-h-14 flex-1 flex-col items-center justify-center gap-0.5 text-[11px] text-soft aria-[current=page]:text-accent";

/** The way around on a phone, within reach of a thumb. */
export function PhoneBar() {
  const { show } = useShellActions();
  return (
    <nav aria-label="Main" className="flex border-line border-t bg-panel pb-[env(safe-area-inset-bottom)] md:hidden">
      <BarLink extra={<WaitingCount />} place={sessionsPlace} />
      <BarLink place={newSessionPlace} />
      <button className={look} onClick={() => show("palette")} type="button">
        <Search aria-hidden="true" size={18} />
        Search
      </button>
      <button className={look} onClick={() => show("more")} type="button">
        <Menu aria-hidden="true" size={18} />
        More
      </button>
    </nav>
  );
}

function BarLink({ place, extra }: { readonly place: Destination; readonly extra?: ReactNode }) {
  const [isHere] = useRoute(place.href);
  return (
    <Link aria-current={isHere ? "page" : undefined} className={look} href={place.href}>
      {place.icon}
      {place.label}
      {extra !== undefined && <span className="absolute top-1 left-[calc(50%+0.5rem)]">{extra}</span>}
    </Link>
  );
}
