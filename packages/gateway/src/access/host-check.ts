import type { IncomingMessage } from "node:http";
import { CaretError } from "@caret/protocol";

export const LOOPBACK_NAMES = ["localhost", "127.0.0.1", "[::1]"];
const HOST = /^(?<name>\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(?<port>\d{1,5}))?$/;
const HTTP_PORT = 80;

/** What is checked of a request before its sender is known: the parts of Node's request that say where it goes. */
export type Addressed = Pick<IncomingMessage, "url" | "rawHeaders"> & {
  readonly socket: { readonly localPort?: number | undefined };
};

/**
 * Rejects a request that was not meant for us. A page of any site can have its own name resolve to this machine (DNS rebinding); the
 * browser then treats us as that site, and only the Host header still has its name.
 *
 * Loopback names need our port. A configured name may come with our port or, behind a proxy, without; one configured with a port needs that
 * port.
 */
export function assertAllowedHost(request: Addressed, names: readonly string[]): void {
  const hosts = headerValues(request.rawHeaders, "host");
  const [host = ""] = hosts;
  if (hosts.length !== 1) throw refusal("exactly one Host header is needed");
  // With an absolute-form target, both target and Host header name the host, and servers disagree on which one counts.
  if (!request.url?.startsWith("/")) throw refusal("the target has to be a path");
  if (!isAllowed(host.toLowerCase(), names, request.socket.localPort ?? HTTP_PORT))
    throw refusal("this Host is not on the allow-list");
}

function isAllowed(host: string, names: readonly string[], ourPort: number): boolean {
  const { name, port } = HOST.exec(host)?.groups ?? {};
  if (name === undefined) return false;
  const onOurPort = Number(port ?? HTTP_PORT) === ourPort;
  if (LOOPBACK_NAMES.includes(name)) return onOurPort;
  return names.some((allowed) => allowed === host || (allowed === name && (onOurPort || port === undefined)));
}

/** Node merges repeated headers or drops all but one; only the raw list shows that there were two. */
export function headerValues(rawHeaders: readonly string[], name: string): readonly string[] {
  return rawHeaders.filter((_value, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);
}

function refusal(reason: string): CaretError {
  return new CaretError("forbidden", `Refused: ${reason}.`, {
    fix: "Use the address the gateway printed, or add the name to its allowed hosts.",
  });
}
