import type { AboutView, LaneName, SessionView } from "@caret/protocol";

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
