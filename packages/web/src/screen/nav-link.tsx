import {
  Bot,
  Columns3,
  Inbox,
  Plug,
  Search,
  Server,
  SlidersHorizontal,
  SquarePen,
  Stethoscope,
  TrendingUp,
} from "lucide-react";
import { type ReactNode, useMemo } from "react";
import { Link, useRoute } from "wouter";
import { useAbout, useWaitingSessions } from "../data/page-hooks.ts";

const icon = { "aria-hidden": true, size: 16 } as const;

export const sessionsRoute: Destination = {
  href: "/",
  label: "Sessions",
  icon: <Inbox {...icon} />,
  also: "inbox list home waiting",
};

export const newSessionRoute: Destination = {
  href: "/new",
  label: "New session",
  icon: <SquarePen {...icon} />,
  also: "start prompt create",
};

const otherRoutes: readonly Destination[] = [
  { href: "/search", label: "Search", icon: <Search {...icon} />, also: "find said words text" },
  { href: "/agents", label: "Agents", icon: <Bot {...icon} />, also: "daemon queue worktree suspend" },
  { href: "/compare", label: "Compare", icon: <Columns3 {...icon} />, also: "models candidates worktree pick merge" },
  {
    href: "/fleet",
    label: "Fleet",
    icon: <Server {...icon} />,
    also: "machines workers queue waiting turns",
    needs: "fleet",
  },
  { href: "/usage", label: "Usage", icon: <TrendingUp {...icon} />, also: "tokens cost money" },
  { href: "/connect", label: "Connect", icon: <Plug {...icon} />, also: "clients recipes openai anthropic token" },
  { href: "/doctor", label: "Doctor", icon: <Stethoscope {...icon} />, also: "check problems health" },
  { href: "/settings", label: "Settings", icon: <SlidersHorizontal {...icon} />, also: "config caret.json budgets" },
];

/** What is not used all the time. Left out is what this gateway has not. */
export function useOtherRoutes(): readonly Destination[] {
  const isInFleet = useAbout()?.fleet === true;
  return useMemo(() => otherRoutes.filter(({ needs }) => needs === undefined || isInFleet), [isInFleet]);
}

interface NavLinkProps {
  readonly href: string;
  readonly icon: ReactNode;
  readonly children: ReactNode;
  /** Shown at the end of the line. */
  readonly extra?: ReactNode;
}

export function NavLink({ href, icon, children, extra }: NavLinkProps) {
  const [isHere] = useRoute(href);
  return (
    <Link
      aria-current={isHere ? "page" : undefined}
      className="flex min-h-10 items-center gap-2 rounded-md px-2 text-[13px] text-soft transition-colors duration-100 hover:bg-ink/5 hover:text-ink aria-[current=page]:bg-ink/8 aria-[current=page]:font-medium aria-[current=page]:text-ink md:min-h-8"
      href={href}
    >
      {icon}
      <span className="flex-1 truncate">{children}</span>
      {extra}
    </Link>
  );
}

export interface Destination {
  readonly href: string;
  readonly label: string;
  readonly icon: ReactNode;
  /** Words by which the palette finds it too. */
  readonly also: string;
  /** It is there only in a fleet. */
  readonly needs?: "fleet";
}

/** How many sessions wait for a person. Nothing when none does. */
export function WaitingCount() {
  const { length } = useWaitingSessions();
  if (length === 0) return null;
  return (
    <span className="inline-flex h-5 min-w-5 items-center justify-center rounded-full bg-warn px-1.5 font-semibold text-[11px] text-page tabular-nums">
      {length}
      <span className="sr-only"> waiting for you</span>
    </span>
  );
}
