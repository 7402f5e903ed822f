import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { CaretError } from "@caret/protocol";
import { expect, it } from "vitest";
import { assertOnThisMachine } from "./local-request.ts";

const local = { host: "localhost:4141", remoteAddress: "127.0.0.1", headers: [] as readonly string[] };

function isTaken(differing: Partial<typeof local> & { readonly remoteAddress?: string | undefined }): boolean {
  const { host, remoteAddress, headers } = { ...local, ...differing };
  try {
    assertOnThisMachine({ rawHeaders: ["Host", host, ...headers], socket: { remoteAddress } });
    return true;
  } catch (reason) {
    expect(CaretError.from(reason).code).toBe("forbidden");
    return false;
  }
}

it.each<[string, Parameters<typeof isTaken>[0]]>([
  ["loopback", {}],
  ["loopback in IPv6", { host: "[::1]:4141", remoteAddress: "::1" }],
  ["IPv4 on a socket of IPv6", { remoteAddress: "::ffff:127.0.0.1" }],
])("takes a request over %s for one of this machine", (_name, differing) => {
  expect(isTaken(differing)).toBe(true);
});

it("takes a request over the Unix socket for one of this machine", () => {
  expect(() => assertOnThisMachine({ rawHeaders: ["Host", "localhost"], socket: {} })).not.toThrow();
});

it("refuses a request whose connection was reset: where it came from is not known any more", async () => {
  const outcome = Promise.withResolvers<string>();
  const server = createServer((request) => {
    request.socket.on("close", () => {
      try {
        assertOnThisMachine(request);
        outcome.resolve("taken");
      } catch (reason) {
        outcome.resolve(CaretError.from(reason).code);
      }
    });
    client.resetAndDestroy();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  client.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  expect(await outcome.promise).toBe("forbidden");
  server.close();
});

it.each<[string, Parameters<typeof isTaken>[0]]>([
  ["another address", { remoteAddress: "192.168.1.7" }],
  ["another address that is mapped", { remoteAddress: "::ffff:10.0.0.1" }],
  ["a name of the tailnet", { host: "desk.tail1234.ts.net" }],
  ["a name that begins like ours", { host: "localhost.evil.test" }],
  ["a proxy on this machine", { headers: ["X-Forwarded-For", "203.0.113.9"] }],
  ["a tunnel on this machine", { headers: ["CF-Connecting-IP", "203.0.113.9"] }],
  ["a proxy that names only itself", { headers: ["Via", "1.1 proxy"] }],
  ["a proxy that says so by its standard", { headers: ["Forwarded", "for=203.0.113.9"] }],
])("refuses a request from %s", (_name, differing) => {
  expect(isTaken(differing)).toBe(false);
});
