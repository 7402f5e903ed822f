import type { Lane } from "../lane.ts";
import { featuresOf } from "../lane-features.ts";
import type { ApiHost } from "./api-host.ts";
import type { ApiTurns } from "./api-turns.ts";

/** Runs turns over Cursor's own protocol, without its CLI. Unofficial: used only if requested by name. */
export function createApiLane(host: ApiHost): Lane {
  let turns: ApiTurns | undefined;

  /** Loaded on demand: the protocol takes a while to load, and most commands never use it. */
  const load = async (): Promise<ApiTurns> => {
    const { createApiTurns } = await import("./api-turns.ts");
    turns ??= createApiTurns(host);
    return turns;
  };

  return {
    name: "api",
    // It starts no process: only the gateway's tools run on this machine, and they have their own sandbox.
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
