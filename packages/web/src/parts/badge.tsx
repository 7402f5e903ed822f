import type { ReactNode } from "react";

type BadgeTone = "plain" | "accent" | "good" | "bad" | "warn";

const tones: Readonly<Record<BadgeTone, string>> = {
  plain: "border-line text-soft",
  accent: "border-accent/40 bg-accent/10 text-accent",
  good: "border-good/40 text-good",
  bad: "border-bad/40 text-bad",
  warn: "border-warn/50 bg-warn/10 text-warn",
};

export function Badge({ tone = "plain", children }: { readonly tone?: BadgeTone; readonly children: ReactNode }) {
  return (
    <span
      className={`inline-flex h-5 shrink-0 items-center rounded border px-1.5 font-medium text-[11px] leading-none ${tones[tone]}`}
    >
      {children}
    </span>
  );
}

/** Nothing that the simulator did may be taken for Cursor's work. */
export function SimulatedBadge() {
  return <Badge>Simulated</Badge>;
}
