import { BlockList, isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { standsFor } from "./embedded-address.ts";

/** All IPv4 ranges that IANA lists as special-purpose, and the addresses of cloud metadata services. */
const special4 = ranges("ipv4", [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "168.63.129.16/32",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.31.196.0/24",
  "192.52.193.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "192.175.48.0/24",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
]);
/** All global unicast IPv6; private, local and translated ranges lie outside. */
const global6 = ranges("ipv6", ["2000::/3"]);
/** Special-purpose ranges within it: Teredo, benchmarks, AMT, AS112, ORCHID, documentation, 6to4. */
const special6 = ranges("ipv6", ["2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20"]);

/** Whether a tool can connect to an address. Called for every address a name resolves to, at the moment of connecting. */
export type AddressPolicy = (address: string) => boolean;

/**
 * Allows only public addresses: globally routable unicast that is not this machine.
 *
 * An IPv6 address that embeds an IPv4 one is judged by that (mapped, NAT64) or refused (compatible, 6to4, Teredo: no legitimate use, and
 * each can point at a private address). Addresses with a zone are refused: no public address has one.
 */
export function createPublicAddressPolicy({ ownAddresses = listOwnAddresses } = {}): AddressPolicy {
  return (address) => {
    if (isIP(address) === 0 || address.includes("%")) return false;
    const actual = standsFor(address);
    if (!isGlobal(actual)) return false;
    return !isAmong(ownAddresses(), actual);
  };
}

function isGlobal(address: string): boolean {
  if (isIP(address) === 4) return !special4.check(address, "ipv4");
  return global6.check(address, "ipv6") && !special6.check(address, "ipv6");
}

/** Compares numerically: one address has many spellings. */
function isAmong(addresses: readonly string[], address: string): boolean {
  const list = new BlockList();
  for (const each of addresses.map((own) => own.split("%", 1)[0] ?? ""))
    if (isIP(each) !== 0) list.addAddress(each, familyOf(each));
  return list.check(address, familyOf(address));
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 4 ? "ipv4" : "ipv6";
}

function ranges(family: "ipv4" | "ipv6", all: readonly string[]): BlockList {
  const list = new BlockList();
  for (const [network = "", prefix] of all.map((range) => range.split("/")))
    list.addSubnet(network, Number(prefix), family);
  return list;
}

function listOwnAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((entries) => (entries ?? []).map(({ address }) => address));
}
