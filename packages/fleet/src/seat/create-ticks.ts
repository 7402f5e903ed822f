import type { ForeignTicks } from "@caret/runtime";
import type { HintListener } from "./hint-listener.ts";

/** Notifies of log writes by the fleet's other processes. */
export function createTicks({ listener }: { readonly listener: Pick<HintListener, "on"> }): ForeignTicks {
  return { add: (tick, sessionId) => listener.on("log", sessionId, tick) };
}
