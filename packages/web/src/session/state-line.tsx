import { type LaneName, type SessionView, type TranscriptTurn, usageWords } from "@caret/protocol";
import { useAbout } from "../data/page-hooks.ts";
import type { SessionLog } from "../data/page-state.ts";
import { Duration } from "../parts/duration.tsx";
import { placeWords, shortPath } from "../parts/place-words.ts";
import { Spinner } from "../parts/placeholders.tsx";
import { statusWords } from "../parts/status-dot.tsx";
import { useNow } from "../parts/use-now.ts";
import { isSimulated } from "../screen/simulated-note.tsx";
import { ContextGauge } from "./context-gauge.tsx";
import { describeWait } from "./describe-wait.ts";

interface StateLineProps {
  readonly session: SessionView;
  readonly log: SessionLog;
  /** Brings what waits for a person into sight. */
  readonly onShow: () => void;
}

/** What is going on, honestly: what is waited for and since when, and with what the session works. */
export function StateLine({ session, log, onShow }: StateLineProps) {
  const turn = log.transcript.turns.at(-1);
  return (
    <section
      aria-label="State of the session"
      className="flex items-center justify-between gap-x-4 px-1 py-1 text-[12px] text-faint"
    >
      <p aria-live="polite" className="flex min-h-5 shrink-0 items-center gap-1.5 text-soft">
        {log.connection === "reconnecting" ? (
          <>
            <Spinner /> Reconnecting…
          </>
        ) : turn !== undefined && turn.outcome === undefined ? (
          <WaitWords turn={turn} session={session} onShow={onShow} />
        ) : (
          <span>{endWords(session.status, turn)}</span>
        )}
      </p>
      <SessionFacts session={session} turns={log.transcript.turns} />
    </section>
  );
}

/** The log is ahead of the list at a turn's end; of a turn that has not begun only the list knows. */
function endWords(status: SessionView["status"], turn: TranscriptTurn | undefined): string {
  const isAway = status.kind === "waiting" && status.waitsFor === "machine";
  return turn?.outcome === undefined || isAway ? statusWords(status) : outcomeWords[turn.outcome.kind];
}

function WaitWords({
  turn,
  session,
  onShow,
}: Pick<StateLineProps, "session" | "onShow"> & { readonly turn: TranscriptTurn }) {
  const wait = describeWait(turn, useNow(), session.status);
  if (wait === undefined) return null;
  if (wait.on === "person")
    return (
      <button
        type="button"
        onClick={onShow}
        className="min-h-5 cursor-pointer font-medium text-warn underline underline-offset-2 max-md:min-h-10"
      >
        {wait.words} <Since at={wait.since} />
      </button>
    );
  return (
    <>
      <Spinner />
      <span className="min-w-0 truncate">{wait.words}</span>
      <Since at={wait.since} />
    </>
  );
}

/** Said once aloud, when the wait begins, not with every second. */
function Since({ at }: { readonly at: number | undefined }) {
  if (at === undefined) return null;
  return (
    <span aria-hidden="true" className="shrink-0">
      · <Duration since={at} />
    </span>
  );
}

const outcomeWords = { completed: "Done", cancelled: "Stopped", failed: "Failed" } as const;

/** All stand on one line: what was used is shown whole, the others as far as there is room; a phone has none for them. */
const looks: Readonly<Record<string, string>> = {
  Lane: "shrink-0 max-md:shrink",
  Workspace: "max-md:hidden shrink-[4]",
  Processes: "max-lg:hidden shrink-[2]",
  "Used so far": "shrink-0 max-md:shrink",
};

interface SessionFactsProps {
  readonly session: SessionView;
  readonly turns: readonly TranscriptTurn[];
}

/** Model and permission stand below, where they are chosen. */
function SessionFacts({ session, turns }: SessionFactsProps) {
  const about = useAbout();
  // Summed by the gateway: here only the newest part of a long session is loaded.
  const used = usageWords(session.usage ?? {});
  const lane = session.lane ?? about?.defaultLane;
  // What comes after the colon explains: there is room for it where one points.
  const [processes] = about?.sandbox.split(":") ?? [];
  const facts: readonly (readonly [label: string, value: string | undefined, all?: string | undefined])[] = [
    ["Lane", lane === undefined ? undefined : laneWords(lane, isSimulated(about, lane))],
    ["Workspace", shortPath(placeWords(session)), placeWords(session)],
    ["Processes", processes, about?.sandbox],
    ["Used so far", used.length === 0 ? undefined : used.join(" · ")],
  ];
  return (
    <ul className="flex min-w-0 items-center gap-x-3" aria-label="Works with">
      <ContextGauge turns={turns} />
      {facts.map(
        ([label, value, all = value]) =>
          value !== undefined && (
            <li key={label} title={`${label}: ${all}`} className={`min-w-0 truncate ${looks[label] ?? ""}`}>
              <span className="sr-only">{label}: </span>
              {value}
            </li>
          ),
      )}
    </ul>
  );
}

function laneWords(lane: LaneName, isMadeUp: boolean): string {
  return isMadeUp ? `${lane} lane (simulated)` : `${lane} lane`;
}
