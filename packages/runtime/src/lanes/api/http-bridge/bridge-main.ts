import { serveBridge } from "./serve-bridge.ts";

/**
 * The HTTP bridge: a Node program that makes HTTP/2 requests for a host whose own HTTP/2 is not reliable. One process serves all requests
 * of its host. It exits when the host closes its standard input; nothing already read is dropped.
 */
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined);
process.stdout.on("error", () => process.exit()); // the host is gone, so nothing can be reported

await serveBridge(process.stdin, process.stdout);
