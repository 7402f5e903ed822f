import type { SessionView } from "@caret/protocol";
import { memo } from "react";
import { Link } from "wouter";
import { useAbout } from "../data/page-hooks.ts";
import { SimulatedBadge } from "../parts/badge.tsx";
import { Duration } from "../parts/duration.tsx";
import { Words } from "../parts/field.tsx";
import { placeWords, shortPath } from "../parts/place-words.ts";
import { plainLine } from "../parts/plain-line.ts";
import { StatusDot, statusWords } from "../parts/status-dot.tsx";
import { TimeAgo } from "../parts/time-ago.tsx";
import { isMarkedSimulated } from "../screen/simulated-note.tsx";
import { SessionMenu } from "./session-menu.tsx";

/** No list says more exactly how long ago something was. */
const SOON_MS = 10_000;

/** One session of the list: its name and status, what was said last, where and by which model. */
export const SessionRow = memo(function SessionRow({ session }: { readonly session: SessionView }) {
  const { id, title, status, model, lastLine, updatedAt, imported } = session;
  const about = useAbout();
  return (
    <li className="relative flex items-start gap-3 px-4 py-2.5 first:rounded-t-lg last:rounded-b-lg hover:bg-ink/3">
      <span className="mt-1.5 flex">
        <StatusDot status={status} />
      </span>
      <div className="min-w-0 flex-1">
        <div className="flex items-center gap-2">
          {/* The whole row is the link's; the menu lies above it. */}
          <Link className="min-w-0 truncate font-medium after:absolute after:inset-0" href={`/s/${id}`}>
            {title || "Untitled"}
          </Link>
          {isMarkedSimulated(about, session) && <SimulatedBadge />}
        </div>
        {lastLine !== "" && lastLine !== title && (
          <p className="truncate text-soft">
            <Words text={plainLine(lastLine)} />
          </p>
        )}
        {/* What does not fit on the line is not shown at all. */}
        <p className="flex h-[18px] min-w-0 flex-wrap gap-x-1.5 overflow-hidden text-[12px] text-faint leading-[18px]">
          <Status status={status} />
          <span className="max-w-full truncate" title={placeWords(session)}>
            · {shortPath(placeWords(session))}
          </span>
          {model !== undefined && <span className="shrink-0">· {model}</span>}
          {imported && <span className="shrink-0">· imported</span>}
        </p>
      </div>
      <div className="relative flex shrink-0 items-center gap-1 text-[12px] text-faint">
        <TimeAgo at={updatedAt} />
        <SessionMenu session={session} />
      </div>
    </li>
  );
}, hasSameLook);

function hasSameLook(before: { readonly session: SessionView }, after: { readonly session: SessionView }): boolean {
  return looksSame(before.session, after.session);
}

const colours = { waiting: "text-warn", running: "text-accent", idle: "", ended: "" } as const;

function Status({ status }: { readonly status: SessionView["status"] }) {
  const isFailed = status.kind === "ended" && status.outcome === "failed";
  return (
    <span className={`max-w-full truncate ${isFailed ? "text-bad" : colours[status.kind]}`}>
      {statusWords(status)}
      {"since" in status && (
        <>
          {" · "}
          <Duration since={status.since} />
        </>
      )}
    </span>
  );
}

/** Whether a line about the session would be the same: one that is at work is updated several times a second. */
export function looksSame(before: SessionView, after: SessionView): boolean {
  if (before === after) return true;
  return Math.abs(after.updatedAt - before.updatedAt) < SOON_MS && wordsOf(before) === wordsOf(after);
}

function wordsOf({ updatedAt: _, lastSeq: __, ...rest }: SessionView): string {
  return JSON.stringify(rest);
}
