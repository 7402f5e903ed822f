import { closeInheritedDescriptors } from "../child-environment.ts";
import { FirstRest } from "./first-rest.ts";
import type { SpawnerRequest } from "./spawner-messages.ts";
import { SpawnerService } from "./spawner-service.ts";

/**
 * The spawner process: starts children on behalf of the gateway, so that the gateway's event loop never stands still
 * for a fork. It lives as long as its channel to the gateway. When the gateway is gone, however it went, the channel
 * closes and everything started here is killed at once.
 */
closeInheritedDescriptors();

// A signal meant for the gateway may reach us as well; we leave when the gateway has, not before.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined);

// A report that cannot be sent means that the gateway is gone, which `disconnect` says. Without a callback it would be an
// uncaught error, and end this process before it has killed anything.
const service = new SpawnerService((report) => process.send?.(report, undefined, undefined, () => undefined));
const rest = new FirstRest(() => void globalThis.gc?.({ type: "major", flavor: "last-resort" }));

process.on("message", (request: SpawnerRequest) => {
  rest.putOff();
  void service.handle(request);
});
process.on("disconnect", () => {
  service.closeDown();
  process.exit();
});
