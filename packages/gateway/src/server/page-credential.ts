import type { IncomingHttpHeaders } from "node:http";
import type { Secret } from "@caret/protocol";

/**
 * The cookie with one half of a browser's token. Cookies are shared with every other port of the host, so it is worth
 * nothing alone; and the port is in its name, so that signing in at one gateway does not sign out of another.
 */
export function pageCookie({ host = "" }: IncomingHttpHeaders): string {
  const port = /:(?<port>\d{1,5})$/.exec(host)?.groups?.["port"];
  return port === undefined ? "caret_page" : `caret_page_${port}`;
}

/** Carries the other half, which the page keeps where no other port sees it and no browser sends it unasked. */
const PAGE_HEADER = "x-caret-page";
/** A WebSocket has no headers of the page's choosing but the protocols that it offers. This one is never chosen. */
const PAGE_PROTOCOL = "caret.page.";

const HALF = /^[\w-]{8,256}$/;

/** The halves of a token for a browser: one for its cookie, one for its page. */
export function cutPageSecret(secret: Secret): { readonly cookie: string; readonly pageKey: string } {
  const whole = secret.reveal();
  const middle = Math.ceil(whole.length / 2);
  return { cookie: whole.slice(0, middle), pageKey: whole.slice(middle) };
}

/** The token whose halves a page sends, or undefined unless both are there. */
export function readPageSecret(headers: IncomingHttpHeaders): string | undefined {
  const cookie = readCookie(headers.cookie ?? "", pageCookie(headers));
  const pageKey = headers.upgrade === undefined ? headers[PAGE_HEADER] : readOffered(headers["sec-websocket-protocol"]);
  if (cookie === undefined || typeof pageKey !== "string") return undefined;
  return HALF.test(cookie) && HALF.test(pageKey) ? cookie + pageKey : undefined;
}

function splitProtocols(offered = ""): readonly string[] {
  return offered.split(",").map((protocol) => protocol.trim());
}

function readCookie(cookies: string, name: string): string | undefined {
  const start = `${name}=`;
  const found = cookies.split(";").find((cookie) => cookie.trimStart().startsWith(start));
  return found?.trim().slice(start.length);
}

function readOffered(offered: string | undefined): string | undefined {
  return splitProtocols(offered)
    .find((protocol) => protocol.startsWith(PAGE_PROTOCOL))
    ?.slice(PAGE_PROTOCOL.length);
}
