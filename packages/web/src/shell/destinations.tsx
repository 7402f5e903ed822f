import { Inbox, Plug, SquarePen, Stethoscope, TrendingUp } from "lucide-react";
import type { ReactNode } from "react";

export interface Destination {
  readonly href: string;
  readonly label: string;
  readonly icon: ReactNode;
  /** Words by which the palette finds it too. */
  readonly also: string;
}

const icon = { "aria-hidden": true, size: 16 } as const;

export const sessionsPlace: Destination = {
  href: "/",
  label: "Sessions",
  icon: <Inbox {...icon} />,
  also: "inbox list home waiting",
};
export const newSessionPlace: Destination = {
  href: "/new",
  label: "New session",
  icon: <SquarePen {...icon} />,
  also: "start prompt create",
};
export const otherPlaces: readonly Destination[] = [
  { href: "/usage", label: "Usage", icon: <TrendingUp {...icon} />, also: "tokens cost money" },
  { href: "/connect", label: "Connect", icon: <Plug {...icon} />, also: "clients recipes openai anthropic token" },
  { href: "/doctor", label: "Doctor", icon: <Stethoscope {...icon} />, also: "check problems health" },
];
