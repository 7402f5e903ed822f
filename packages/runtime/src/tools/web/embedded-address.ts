import { BlockList, isIP } from "node:net";

/** IPv6 addresses that a socket or a translator on the way turns into the IPv4 address of their last 32 bits. */
const translated = new BlockList();
translated.addSubnet("::ffff:0:0", 96, "ipv6");
translated.addSubnet("64:ff9b::", 96, "ipv6");

/** The address that is connected to in the end: the IPv4 one inside of a mapped or NAT64 address, else the same. */
export function standsFor(address: string): string {
  if (isIP(address) !== 6 || !translated.check(address, "ipv6")) return address;
  // A URL writes IPv6 addresses in one way, without dots; what it leaves out are zeros.
  const written = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [high = 0, low = 0] = written
    .split(":")
    .slice(-2)
    .map((group) => Number.parseInt(group || "0", 16));
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join(".");
}
