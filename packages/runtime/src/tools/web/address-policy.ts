import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import ipaddr from "ipaddr.js";

/** Globally routable by their number, and yet the door to a cloud machine's own secrets. */
const METADATA = new Set(["100.100.100.200", "168.63.129.16", "192.0.0.192"]);
/** Everything that may be called global unicast in IPv6; metadata, private and odd ranges lie outside or are named. */
const GLOBAL_V6: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse("2000::"), 3];
/** IPv4 addresses that a translator on the way turns an IPv6 address into. */
const MAPPED: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse("::ffff:0:0"), 96];
const NAT64: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse("64:ff9b::"), 96];

/** May a tool connect to this address? Decided for every address a name resolves to, at the moment of connecting. */
export type AddressPolicy = (address: string) => boolean;

/**
 * Only what is public: refused by default, allowed when it is globally routable unicast and not this machine itself.
 *
 * An IPv6 address that stands for an IPv4 one is judged by that one (mapped, NAT64) or refused (compatible, 6to4,
 * Teredo: nobody honest uses them, and each can be pointed at a private address).
 */
export function createPublicAddressPolicy({ ownAddresses = listOwnAddresses } = {}): AddressPolicy {
  return (address) => {
    // Stricter than the library, which reads `1.2.3` as an address as well.
    if (isIP(address) === 0) return false;
    const parsed = toActual(ipaddr.parse(address));
    if (!isGlobal(parsed)) return false;
    return !ownAddresses().some((own) => isSame(own, parsed));
  };
}

function toActual(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  if (address.kind() === "ipv4") return address;
  const isIpv4 = address.match(MAPPED) || address.match(NAT64);
  return isIpv4 ? new ipaddr.IPv4(address.toByteArray().slice(12)) : address;
}

function isGlobal(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== "unicast") return false;
  return address.kind() === "ipv4" ? !METADATA.has(address.toString()) : address.match(GLOBAL_V6);
}

function isSame(own: string, address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return isIP(own) !== 0 && ipaddr.parse(own).toNormalizedString() === address.toNormalizedString();
}

function listOwnAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((entries) => (entries ?? []).map(({ address }) => address));
}
