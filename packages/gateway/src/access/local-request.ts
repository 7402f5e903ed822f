import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";
import { CaretError } from "@caret/protocol";
import { headerValues, LOOPBACK_NAMES } from "./host-check.ts";

/** Headers that proxies and tunnels on this machine add for the client behind them. */
const FORWARDED = [
  ...["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip"],
  ...["cf-connecting-ip", "true-client-ip"],
];

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

type Arrived = Pick<IncomingMessage, "rawHeaders"> & {
  readonly socket: { readonly remoteAddress?: string | undefined; readonly destroyed?: boolean };
};

/** Rejects a request that did not begin on this machine: one from another address, for another name, or through a proxy. */
export function assertOnThisMachine({ rawHeaders, socket }: Arrived): void {
  const [host = ""] = headerValues(rawHeaders, "host");
  const isForwarded = FORWARDED.some((name) => headerValues(rawHeaders, name).length > 0);
  const isNamedSo = LOOPBACK_NAMES.includes(host.toLowerCase().replace(/:\d+$/, ""));
  if (isNamedSo && !isForwarded && isLoopback(socket)) return;
  throw new CaretError("forbidden", "Settings can be seen and changed on the gateway's own machine only", {
    fix: "Open the page there, at its own address: `caret link`. Or edit `caret.json` there: `caret config path`.",
  });
}

/**
 * A Unix socket has no address: only processes of this machine reach it. A connection that was reset has lost its address and may have come
 * from anywhere.
 */
function isLoopback({ remoteAddress: address, destroyed = false }: Arrived["socket"]): boolean {
  if (address === undefined) return !destroyed;
  const bare = address.replace(/^::ffff:/, "");
  return isIP(bare) !== 0 && loopback.check(bare, isIP(bare) === 4 ? "ipv4" : "ipv6");
}
