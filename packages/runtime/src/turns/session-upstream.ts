import type { SessionRecord } from "../log/event-store.ts";
import type { SessionEngineOptions } from "./create-session-engine.ts";
import { findLane } from "./open-session.ts";
import type { SessionEngine } from "./session-engine.ts";

/** What upstream has of a session between its turns. `agentWorkspace` is where its agent itself works. */
export function sessionUpstream(options: SessionEngineOptions): Pick<SessionEngine, "release" | "hasLostChat"> {
  return {
    async release({ workspace }: SessionRecord, agentWorkspace: string) {
      const places = new Set([workspace, agentWorkspace]);
      await Promise.all(options.lanes.flatMap((lane) => [...places].map((place) => lane.release?.(place))));
    },
    hasLostChat(session: SessionRecord, agentWorkspace: string) {
      const lane = findLane(options, session.lane);
      const attachment = session.upstream.find((candidate) => candidate.lane === lane.name);
      return attachment !== undefined && !lane.canResume(attachment, agentWorkspace);
    },
  };
}
