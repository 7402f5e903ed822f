import type { Lane } from "../lane.ts";
import { featuresOf } from "../lane-features.ts";
import type { ApiHost } from "./api-host.ts";
import type { ApiTurns } from "./api-turns.ts";

/** Run turns by Cursor's own protocol, without its CLI. Unofficial: only taken when it is asked for by name. */
export function createApiLane(host: ApiHost): Lane {
  let turns: ApiTurns | undefined;

  /** The protocol takes a while to load, and most commands never speak it. */
  const load = async (): Promise<ApiTurns> => {
    const { createApiTurns } = await import("./api-turns.ts");
    turns ??= createApiTurns(host);
    return turns;
  };

  return {
    name: "api",
    // It starts no process: what runs on this machine are the gateway's tools, which are walled in themselves.
    features: featuresOf.api,
    runTurn: async (request, take, signal) => await (turns ?? (await load())).runTurn(request, take, signal),
    steer: async (turnId, text) => await (turns ?? (await load())).steer(turnId, text),
    canResume: ({ sessionId }) => host.conversations.has(sessionId),
    async close() {
      host.links.close();
      await host.conversations.close();
    },
  };
}
