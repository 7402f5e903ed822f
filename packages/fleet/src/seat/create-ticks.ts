import type { ForeignTicks } from "@caret/runtime";
import type { HintListener } from "./hint-listener.ts";

/** Hears of what the other processes of the fleet write to the log. */
export function createTicks({ listener }: { readonly listener: Pick<HintListener, "on"> }): ForeignTicks {
  return { add: (tick, sessionId) => listener.on("log", sessionId, tick) };
}
