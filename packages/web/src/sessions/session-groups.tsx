import type { SessionView } from "@caret/protocol";
import { useMemo } from "react";
import { sortTime } from "../data/session-list.ts";
import { placeWords, shortPath } from "../parts/place-words.ts";
import { useNow } from "../parts/use-now.ts";
import { SessionRow } from "./session-row.tsx";

const DAY_MS = 86_400_000;

export type Grouping = "day" | "workspace";

/** Which sessions are chosen, and how to choose; absent: nothing can be. */
export interface SessionChoice {
  readonly chosen: ReadonlySet<string>;
  readonly onChoose: (ids: readonly string[], isChosen: boolean) => void;
}

interface SessionGroupsProps {
  readonly sessions: readonly SessionView[];
  readonly by: Grouping;
  readonly choice: SessionChoice | undefined;
}

/** Sessions under the day they were used on, or under the directory they work in. */
export function SessionGroups({ sessions, by, choice }: SessionGroupsProps) {
  // The days change at midnight; a list that is looked at is re-rendered more often than that.
  const today = new Date(useNow()).setHours(0, 0, 0, 0);
  const groups = useMemo(
    () => (by === "day" ? groupByDay(sessions, today) : groupByWorkspace(sessions)),
    [sessions, today, by],
  );
  return groups.map((group) => <SessionGroup choice={choice} group={group} key={group.key} />);
}

export function SessionGroup({ group, choice }: { readonly group: Group; readonly choice: SessionChoice | undefined }) {
  const { name, title, sessions } = group;
  const ids = sessions.map(({ id }) => id);
  const areChosen = choice !== undefined && ids.every((id) => choice.chosen.has(id));
  return (
    <section aria-label={name} className="mb-6">
      <h2 className="mb-1 font-medium text-[13px] text-soft" title={title}>
        {choice === undefined ? (
          name
        ) : (
          <label className="flex min-h-10 cursor-pointer items-center gap-3 px-4 md:min-h-8">
            <input
              aria-label={`Choose all of ${name}`}
              checked={areChosen}
              className="size-4 accent-accent"
              onChange={() => choice.onChoose(ids, !areChosen)}
              type="checkbox"
            />
            {name}
          </label>
        )}
      </h2>
      <ul className="divide-y divide-line rounded-lg border border-line bg-raised">
        {sessions.map((session) =>
          choice === undefined ? (
            <SessionRow key={session.id} session={session} />
          ) : (
            <ChoosableRow choice={choice} key={session.id} session={session} />
          ),
        )}
      </ul>
    </section>
  );
}

function ChoosableRow({ session, choice }: { readonly session: SessionView; readonly choice: SessionChoice }) {
  const isChosen = choice.chosen.has(session.id);
  return (
    <li>
      <label className="flex min-h-12 cursor-pointer items-center gap-3 px-4 py-2 hover:bg-ink/3">
        <input
          checked={isChosen}
          className="size-4 accent-accent"
          onChange={() => choice.onChoose([session.id], !isChosen)}
          type="checkbox"
        />
        <span className="min-w-0 flex-1 truncate">{session.title || "Untitled"}</span>
        <span className="shrink-0 text-[12px] text-faint max-md:hidden">{shortPath(placeWords(session))}</span>
      </label>
    </li>
  );
}

export interface Group {
  readonly key: string;
  readonly name: string;
  /** All of a name that is shortened. */
  readonly title?: string;
  readonly sessions: readonly SessionView[];
}

/** Sessions that are sorted by time, under the names of their days as the reader would call them. */
export function groupByDay(sessions: readonly SessionView[], now: number): readonly Group[] {
  return grouped(sessions, (session) => dayName(sortTime(session), now)).map(([name, members]) => ({
    key: name,
    name,
    sessions: members,
  }));
}

/** Sessions under the directories they work in; that of the newest session comes first. */
export function groupByWorkspace(sessions: readonly SessionView[]): readonly Group[] {
  return grouped(sessions, placeWords).map(([place, members]) => ({
    key: place,
    name: shortPath(place),
    title: place,
    sessions: members,
  }));
}

function grouped(
  sessions: readonly SessionView[],
  nameOf: (session: SessionView) => string,
): readonly (readonly [string, readonly SessionView[]])[] {
  return [...Map.groupBy(sessions, nameOf)];
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
