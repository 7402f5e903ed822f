import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { CaretError } from "@caret/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createPublicAddressPolicy } from "./address-policy.ts";
import { createOutboundFetch, type OutboundFetchOptions } from "./outbound-fetch.ts";
import { startServer, type TestServer } from "./testing/web-servers.ts";

/** Must never be reached: one listener on every address of this machine, IPv4 and IPv6. */
let victim: TestServer;
/** Public as far as these tests go; redirects requests for `/to?…` there. */
let redirector: TestServer;

beforeAll(async () => {
  const answer = (_: unknown, response: { end(text: string): void }): void => response.end("the inside");
  victim = await startServer(answer, "::").catch(() => startServer(answer, "0.0.0.0"));
  redirector = await startServer((request, response) => {
    const location = decodeURIComponent(request.url?.split("?")[1] ?? "");
    // A header holds no letters beyond ASCII; in a host, percent signs mean the same.
    response.writeHead(302, { location: location.replaceAll(/[^\x20-\x7e]/g, encodeURIComponent) }).end();
  }, "127.0.0.2");
});

afterAll(() => Promise.all([victim.close(), redirector.close()]));

const ipv4 = [
  "127.0.0.1",
  "127.0.0.2",
  "127.1.2.3",
  "127.255.255.254",
  "0.0.0.0",
  "0.1.2.3",
  "10.0.0.1",
  "10.255.255.255",
  "100.64.0.1",
  "100.100.100.200",
  "100.127.255.254",
  "168.63.129.16",
  "169.254.0.1",
  "169.254.169.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.0.0.1",
  "192.0.0.192",
  "192.0.2.1",
  "192.168.0.1",
  "192.168.255.255",
  "198.18.0.1",
  "198.51.100.1",
  "203.0.113.1",
  "224.0.0.1",
  "239.255.255.255",
  "240.0.0.1",
  "255.255.255.255",
  ...Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .flatMap(({ address, family }) => (family === "IPv4" ? [address] : [])),
];

const ipv6 = [
  "::",
  "::1",
  "fe80::1",
  "febf::1",
  "fec0::1",
  "fc00::1",
  "fd00:ec2::254",
  "fdff::1",
  "ff02::1",
  "100::1",
  "2001:db8::1",
  "64:ff9b:1::1",
  ...Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .flatMap(({ address, family }) => (family === "IPv6" ? [address] : [])),
];

const hex = (value: number, width = 2): string => value.toString(16).padStart(width, "0");

/** Every way to write an IPv4 address that some parser, resolver or translator reads as that address. */
function spellings(address: string): readonly string[] {
  const octets = address.split(".").map(Number);
  const [a = 0, b = 0, c = 0, d = 0] = octets;
  const number = ((a * 256 + b) * 256 + c) * 256 + d;
  const [high, low] = [`${hex(a)}${hex(b)}`, `${hex(c)}${hex(d)}`];
  const flipped = octets.map((octet) => hex(octet ^ 0xff));
  return [
    address,
    `${address}.`,
    String(number),
    `0x${hex(number, 8)}`,
    `0${number.toString(8)}`,
    octets.map((octet) => `0${octet.toString(8)}`).join("."),
    octets.map((octet) => `0x${hex(octet)}`).join("."),
    `${a}.${b}.${c * 256 + d}`,
    `${a}.${(b * 256 + c) * 256 + d}`,
    `0x${hex(a)}.${b}.0${(c * 256 + d).toString(8)}`,
    address.replaceAll(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit))),
    address.replaceAll(".", "。"),
    [...address].map((letter) => `%${hex(letter.charCodeAt(0))}`).join(""),
    `[::ffff:${address}]`,
    `[::ffff:${high}:${low}]`,
    `[0:0:0:0:0:ffff:${high}:${low}]`,
    `[::${address}]`,
    `[::${high}:${low}]`,
    `[64:ff9b::${address}]`,
    `[64:ff9b:1::${high}:${low}]`,
    `[2002:${high}:${low}::]`,
    `[2002:${high}:${low}::1]`,
    `[2001:0:${high}:${low}::1]`,
    `[2001::${flipped.slice(0, 2).join("")}:${flipped.slice(2).join("")}]`,
    `[fec0::${high}:${low}]`,
  ];
}

const forms = [
  ...new Set([...ipv4.flatMap(spellings), ...ipv6.map((address) => `[${address}]`), "localhost", "LOCALHOST."]),
];

const outbound = (options: OutboundFetchOptions = {}) =>
  createOutboundFetch({
    resolve: async () => ["127.0.0.1"],
    allowPorts: [victim.port],
    // Nothing of what is refused waits for these: they only end what hangs.
    limits: { connectMs: 20_000, totalMs: 40_000 },
    ...options,
  });

/** The code of the refusal, or what came through. */
async function attempt(fetching: Promise<{ readonly status: number }>): Promise<string> {
  return fetching.then(
    ({ status }) => `reached something: ${status}`,
    (reason: unknown) => CaretError.from(reason).code,
  );
}

async function attemptAll(urls: readonly string[], fetchOne: (url: string) => Promise<string>): Promise<string[]> {
  const outcomes = new Set<string>();
  for (let start = 0; start < urls.length; start += 20)
    for (const outcome of await Promise.all(urls.slice(start, start + 20).map(fetchOne))) outcomes.add(outcome);
  return [...outcomes].sort();
}

describe(`none of ${forms.length} spellings of a private address`, () => {
  const signal = new AbortController().signal;

  it("is connected to when it is asked for", async () => {
    expect(forms.length).toBeGreaterThanOrEqual(500);
    const fetch = outbound();
    const outcomes = await attemptAll(forms, (form) =>
      attempt(fetch({ url: `http://${form}:${victim.port}/`, signal })),
    );
    expect(
      outcomes.filter((outcome) => !["forbidden", "invalid-request", "upstream-unreachable"].includes(outcome)),
    ).toEqual([]);
    expect(victim.connections()).toBe(0);
  });

  it("is connected to when a public page redirects to it", async () => {
    const fetch = outbound({ trustedOrigins: [redirector.origin] });
    const before = redirector.connections();
    const outcomes = await attemptAll(forms, (form) => {
      const target = encodeURIComponent(`http://${form}:${victim.port}/`);
      return attempt(fetch({ url: `${redirector.origin}/to?${target}`, signal }));
    });
    expect(
      outcomes.filter((outcome) => !["forbidden", "invalid-request", "upstream-unreachable"].includes(outcome)),
    ).toEqual([]);
    expect([victim.connections(), redirector.connections() - before]).toEqual([0, forms.length]);
  });

  it("is connected to when a name resolves to it, alone, among others, or only the second time", async () => {
    const addresses = forms.flatMap((form) => {
      const url = URL.parse(`http://${form}/`);
      const host = url?.hostname.replaceAll(/[[\]]/g, "") ?? "";
      return isIP(host) === 0 ? [] : [host];
    });
    // One address counts as public here: the redirector's. A name that gives it first and a private one later must
    // be followed to the first, which was checked.
    const isPublic = createPublicAddressPolicy();
    const isAllowed = (address: string): boolean => address === "127.0.0.2" || isPublic(address);
    const decoys = addresses.filter((address) => address !== "127.0.0.2");
    const outcomes = await attemptAll(decoys, async (address) => {
      let asked = 0;
      const answers: Record<string, () => readonly string[]> = {
        "alone.test": () => [address],
        "among.test": () => ["127.0.0.2", address],
        "later.test": () => (asked++ === 0 ? ["127.0.0.2"] : [address]),
      };
      const resolve = async (name: string): Promise<readonly string[]> => answers[name]?.() ?? [];
      const fetch = outbound({ isAllowed, resolve, allowPorts: [victim.port, redirector.port] });
      const url = (name: string, port: number): string => `http://${name}:${port}/`;
      return [
        await attempt(fetch({ url: url("alone.test", victim.port), signal })),
        await attempt(fetch({ url: url("among.test", victim.port), signal })),
        await attempt(fetch({ url: url("later.test", redirector.port), signal })),
      ].join();
    });
    expect(outcomes).toEqual(["forbidden,forbidden,reached something: 302"]);
    expect(victim.connections()).toBe(0);
  });
});

describe("the address policy", () => {
  it.each(["8.8.8.8", "93.184.216.34", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"])(
    "allows the public address %s",
    (address) => expect(createPublicAddressPolicy()(address)).toBe(true),
  );

  it("refuses an address of this machine, public or not", () => {
    const policy = createPublicAddressPolicy({ ownAddresses: () => ["8.8.8.8", "2606:4700:0:0::1"] });
    const asked = ["8.8.8.8", "::ffff:8.8.8.8", "2606:4700::1", "8.8.4.4"];
    expect(asked.map(policy)).toEqual([false, false, false, true]);
  });

  it("refuses what is no address at all", () => {
    expect(["", "example.com", "1.2.3", "::g"].map(createPublicAddressPolicy())).toEqual([false, false, false, false]);
  });
});
