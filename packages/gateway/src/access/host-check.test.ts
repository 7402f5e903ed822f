import { expect, it } from "vitest";
import { assertAllowedHost } from "./host-check.ts";

const PORT = 4141;

function answerTo(hosts: readonly string[], { url = "/", names = [] as readonly string[], port = PORT } = {}): string {
  try {
    assertAllowedHost({ url, rawHeaders: hosts.flatMap((host) => ["Host", host]), socket: { localPort: port } }, names);
    return "allowed";
  } catch (reason) {
    return (reason as { code: string }).code;
  }
}

it.each(["localhost:4141", "127.0.0.1:4141", "[::1]:4141", "LocalHost:4141"])("lets in %s on our port", (host) => {
  expect(answerTo([host])).toBe("allowed");
});

it.each([
  ["a stranger's name", ["evil.test"]],
  ["a stranger's name with our port", ["evil.test:4141"]],
  ["a name that begins like ours", ["localhost.evil.test:4141"]],
  ["a name that ends like ours", ["evil-localhost:4141"]],
  ["a trailing dot", ["localhost.:4141"]],
  ["no port", ["localhost"]],
  ["another port", ["localhost:80"]],
  ["a port that is none", ["localhost:41410000"]],
  ["an empty port", ["localhost:"]],
  ["a user before the name", ["evil.test@localhost:4141"]],
  ["a path behind the name", ["localhost:4141/evil.test"]],
  ["a space", ["localhost:4141 evil.test"]],
  ["a comma", ["localhost:4141,evil.test"]],
  ["another loopback spelling", ["127.1:4141"]],
  ["a mapped address", ["[::ffff:127.0.0.1]:4141"]],
  ["every interface", ["0.0.0.0:4141"]],
  ["nothing", [""]],
  ["no Host at all", []],
  ["two of them", ["localhost:4141", "evil.test"]],
  ["the same one twice", ["localhost:4141", "localhost:4141"]],
])("refuses %s", (_name, hosts) => {
  expect(answerTo(hosts)).toBe("forbidden");
});

it.each(["http://localhost:4141/", "http://evil.test/", "*", "localhost:4141", ""])("refuses the target %j", (url) => {
  expect(answerTo(["localhost:4141"], { url })).toBe("forbidden");
});

it("lets in configured names with our port, behind a proxy without one, and with the port they were given", () => {
  const names = ["caret.example.test", "other.example.test:8443"];
  const hosts = [
    "caret.example.test",
    "caret.example.test:4141",
    "caret.example.test:9",
    "other.example.test:8443",
    "other.example.test",
    "other.example.test:4141",
  ];
  expect(hosts.map((host) => answerTo([host], { names }))).toEqual([
    "allowed",
    "allowed",
    "forbidden",
    "allowed",
    "forbidden",
    "forbidden",
  ]);
});

it("needs no port in the name when we listen on 80", () => {
  expect(answerTo(["localhost"], { port: 80 })).toBe("allowed");
});
