import { setTimeout as after } from "node:timers/promises";
import { createNativeClient, type NativeClientOptions } from "@caret/protocol";
import type { EventReader } from "./event-reader.ts";

/** The typed client takes its time before it tries again; here it hurries. */
const HURRY = 10;

export const client: EventReader = clientReader({});

/** As the page follows a session. */
export const clientOverSocket: EventReader = clientReader({ socketProtocols: () => ["caret.events"] });

function clientReader(options: Partial<NativeClientOptions>): EventReader {
  return async ({ baseUrl, sessionId, random, signal }, received) => {
    const wait = async (ms: number): Promise<void> => await after(ms / HURRY);
    const caret = createNativeClient({ baseUrl, random, wait, ...options });
    for await (const events of caret.followEvents(sessionId, { after: 0, signal }))
      for (const event of events) received.add(JSON.stringify(event));
  };
}
