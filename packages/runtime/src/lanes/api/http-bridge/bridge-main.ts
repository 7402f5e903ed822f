import { serveBridge } from "./serve-bridge.ts";

/**
 * The HTTP bridge: a Node program that makes HTTP/2 requests for a host whose own HTTP/2 is not reliable. One process
 * serves all requests of its host. It leaves when the host closes its standard input; nothing that was read is dropped.
 */
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined);
process.stdout.on("error", () => process.exit()); // the host is gone, and nothing can be reported

await serveBridge(process.stdin, process.stdout);
