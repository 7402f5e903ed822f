import type { AboutView, LaneName, SessionView } from "@caret/protocol";
import { useAbout } from "../data/page-hooks.ts";

/** When even what is new would be made up, it is said all the time. */
export function SimulatedNote() {
  const about = useAbout();
  if (!isSimulated(about, about?.defaultLane)) return null;
  return (
    <p className="mb-2 rounded-md border border-line bg-raised px-2 py-1.5 text-[12px] text-soft">
      <strong className="font-medium text-ink">Simulated answers, real tools.</strong> Cursor is not asked, but files
      are changed and commands run.
    </p>
  );
}

/** Whether what this lane does is made up. */
export function isSimulated(about: AboutView | undefined, lane: LaneName | undefined): boolean {
  if (lane === "sim") return true;
  return about?.lanes.some((known) => known.lane === lane && known.simulated) ?? false;
}

/** Whether the session must be marked where several are listed: where all of them are simulated, one note says so for all. */
export function isMarkedSimulated(about: AboutView | undefined, session: SessionView): boolean {
  return !isSimulated(about, about?.defaultLane) && isSimulatedSession(about, session);
}

/** A session that names no lane goes by the gateway's own; one that was imported, nobody knows by which. */
function isSimulatedSession(about: AboutView | undefined, session: SessionView): boolean {
  return isSimulated(about, session.lane ?? (session.imported ? undefined : about?.defaultLane));
}
