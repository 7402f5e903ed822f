import type { SessionView } from "@caret/protocol";
import { placedAt } from "../data/session-list.ts";

export interface DayGroup {
  readonly day: string;
  readonly sessions: readonly SessionView[];
}

const DAY_MS = 86_400_000;

/** Sessions that are sorted by time, under the names of their days as the reader would call them. */
export function groupByDay(sessions: readonly SessionView[], now: number): readonly DayGroup[] {
  const groups: { day: string; sessions: SessionView[] }[] = [];
  for (const session of sessions) {
    const day = dayName(placedAt(session), now);
    const last = groups.at(-1);
    if (last?.day === day) last.sessions.push(session);
    else groups.push({ day, sessions: [session] });
  }
  return groups;
}

function dayName(at: number, now: number): string {
  const days = Math.round((startOfDay(now) - startOfDay(at)) / DAY_MS);
  if (days <= 0) return "Today";
  if (days === 1) return "Yesterday";
  const isThisYear = new Date(at).getFullYear() === new Date(now).getFullYear();
  const words = days < 7 ? { weekday: "long" as const } : { day: "numeric" as const, month: "long" as const };
  return new Intl.DateTimeFormat(undefined, { ...words, ...(!isThisYear && { year: "numeric" }) }).format(at);
}

function startOfDay(at: number): number {
  return new Date(at).setHours(0, 0, 0, 0);
}
