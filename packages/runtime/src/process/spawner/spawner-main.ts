import { closeInheritedDescriptors } from "../child-environment.ts";
import { FirstRest } from "./first-rest.ts";
import type { SpawnerRequest } from "./spawner-messages.ts";
import { SpawnerService } from "./spawner-service.ts";

/**
 * The spawner process: starts children for the gateway, so the gateway's event loop is never blocked by a fork. It lives as long as its
 * channel to the gateway. When the gateway is gone for any reason, the channel closes and everything started here is killed at once.
 */
closeInheritedDescriptors();

// A signal meant for the gateway may reach us as well; we leave after the gateway, not before.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined);

// If a report cannot be sent, the gateway is gone, which `disconnect` reports. Without a callback this would be an uncaught error and end
// this process before it has killed anything.
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
