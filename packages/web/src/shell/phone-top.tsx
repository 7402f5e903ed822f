import { ChevronLeft, Search } from "lucide-react";
import { Link } from "wouter";
import { IconButton } from "../parts/icon-button.tsx";
import { useShellActions } from "./shell-actions.ts";
import { WaitingCount } from "./waiting-count.tsx";

/** In a session a phone's whole height is for the session: one line leads back. */
export function PhoneTop() {
  const { show } = useShellActions();
  return (
    <nav aria-label="Main" className="flex items-center border-line border-b bg-panel px-1 md:hidden">
      <Link className="flex min-h-10 items-center gap-1 rounded-md px-2 font-medium text-[13px] text-soft" href="/">
        <ChevronLeft aria-hidden="true" size={16} /> Sessions <WaitingCount />
      </Link>
      <span className="flex-1" />
      <IconButton
        icon={<Search aria-hidden="true" size={16} />}
        label="Search or go to…"
        onClick={() => show("palette")}
      />
    </nav>
  );
}
