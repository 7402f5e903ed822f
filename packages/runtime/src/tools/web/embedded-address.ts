import { BlockList, isIP } from "node:net";

/** IPv6 prefixes that a socket or translator maps to the IPv4 address in the last 32 bits. */
const translated = new BlockList();
translated.addSubnet("::ffff:0:0", 96, "ipv6");
translated.addSubnet("64:ff9b::", 96, "ipv6");

/** The address that is finally connected to: the embedded IPv4 one of a mapped or NAT64 address, else the same. */
export function standsFor(address: string): string {
  if (isIP(address) !== 6 || !translated.check(address, "ipv6")) return address;
  // A URL normalises IPv6 addresses, without dots; omitted groups are zeros.
  const written = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [high = 0, low = 0] = written
    .split(":")
    .slice(-2)
    .map((group) => Number.parseInt(group || "0", 16));
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join(".");
}
