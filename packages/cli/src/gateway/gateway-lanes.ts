import { type AboutView, CaretError, type LaneName } from "@caret/protocol";
import type { OpenedEngine } from "../compose.ts";

/** The lanes that turns can take here, the default one first. */
export function lanesOf({ lane }: OpenedEngine): readonly LaneName[] {
  return lane === "sim" ? ["sim"] : [lane, "sim"];
}

/** Asked for every time: what could run a minute ago may be gone. */
export async function laneStates(opened: OpenedEngine): Promise<AboutView["lanes"]> {
  const states = lanesOf(opened).map(async (lane) => {
    if (lane === "sim") return { lane, ready: true, simulated: true, detail: "the built-in simulator, not Cursor" };
    try {
      await opened.agentHost.resolveLaunch(opened.agentHost.programs.command);
      return { lane, ready: true, simulated: false };
    } catch (reason) {
      return { lane, ready: false, simulated: false, detail: CaretError.from(reason).message };
    }
  });
  return await Promise.all(states);
}
