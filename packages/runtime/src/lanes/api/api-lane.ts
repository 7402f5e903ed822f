import type { Lane, LaneEntry, LaneRequest } from "../lane.ts";
import type { ApiHost } from "./api-host.ts";

/** Run turns by Cursor's own protocol, without its CLI. Unofficial: only taken when it is asked for by name. */
export function createApiLane(host: ApiHost): Lane {
  let runTurn: Lane["runTurn"] | undefined;

  /** The protocol takes a while to load, and most commands never speak it. */
  const load = async (): Promise<Lane["runTurn"]> => {
    const { createApiTurns } = await import("./api-turns.ts");
    return createApiTurns(host);
  };

  return {
    name: "api",
    takesImages: true,
    async *runTurn(request: LaneRequest, signal: AbortSignal): AsyncGenerator<readonly LaneEntry[]> {
      runTurn ??= await load();
      yield* runTurn(request, signal);
    },
    canResume: ({ sessionId }) => host.conversations.has(sessionId),
    async close() {
      host.links.close();
      host.conversations.close();
    },
  };
}
