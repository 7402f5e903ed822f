import { BlockList, isIP } from "node:net";
import { CaretError } from "@caret/protocol";

/** Cursor's own domains. Any other host would receive the user's token and prompts. */
const cursorDomains = ["cursor.sh", "cursor.com"] as const;

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

/** Whether requests to this address stay on the machine. */
export function isLoopback({ hostname }: URL): boolean {
  if (hostname === "localhost") return true;
  const address = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
  // The list also matches IPv4-mapped IPv6 addresses.
  return isIP(address) !== 0 && loopback.check(address, isIP(address) === 4 ? "ipv4" : "ipv6");
}

/**
 * Validates an address: the API lane sends data only to Cursor's hosts over TLS, or to loopback. `source` says where the address comes
 * from: a variable, a file, a response of the server.
 */
export function allowedUrl(text: string, source: string): URL {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
  if (url === undefined || (url.protocol !== "https:" && url.protocol !== "http:"))
    throw refusal(source, "is not an http or https address");
  if (url.username !== "" || url.password !== "") throw refusal(source, "carries a user name or a password");
  if (isLoopback(url)) return url;
  if (!isCursorHost(url.hostname)) throw refusal(source, `names ${url.hostname}, which is not a host of Cursor's`);
  if (url.protocol !== "https:") throw refusal(source, `names ${url.hostname} without TLS`);
  return url;
}

function isCursorHost(hostname: string): boolean {
  return cursorDomains.some((domain) => hostname === domain || hostname.endsWith(`.${domain}`));
}

function refusal(source: string, fault: string): CaretError {
  return new CaretError("invalid-config", `${source} ${fault}: nothing was sent there`, {
    fix: `Unset ${source}, or name a host of Cursor's over https, or a server on this machine.`,
  });
}
