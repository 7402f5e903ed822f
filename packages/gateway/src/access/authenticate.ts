import type { IncomingHttpHeaders } from "node:http";
import { CaretError, Secret, type TokenScope } from "@caret/protocol";
import type { TokenGrant, TokenStore } from "./token-store.ts";

/** Carries the page's half of the token: other ports cannot see it and browsers never send it unasked. */
const PAGE_HEADER = "x-caret-page";

/** The only header of its own that a page can set on a WebSocket is the list of protocols it offers. This one is never selected. */
const PAGE_PROTOCOL = "caret.page.";

const HALF = /^[\w-]{8,256}$/;

/** Longer than any token of ours: unauthenticated clients must not make us hash a megabyte. */
const MAX_TOKEN_LENGTH = 512;

export interface Credential {
  readonly grant: TokenGrant;
  /** Undefined for a program on the Unix socket, which has nothing to revoke. */
  readonly secret?: Secret;
}

/** Makes a browser prompt for the token, as a password with any user name, for pages that a person may open with one. */
export const BROWSER_CHALLENGE = 'Basic realm="Caret: the token is the password", charset="UTF-8"';

/** The headers, with a browser's Basic credential turned into the bearer token that programs send. */
export function withBrowserToken(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const encoded = /^basic +(?<encoded>\S+)$/i.exec(headers.authorization ?? "")?.groups?.["encoded"];
  if (encoded === undefined) return headers;
  const [, ...password] = Buffer.from(encoded, "base64").toString("utf8").split(":");
  return { ...headers, authorization: `Bearer ${password.join(":")}` };
}

/** Identifies the caller. Throws the same `unauthenticated` for a missing, a wrong and a revoked token. */
export function authenticate(headers: IncomingHttpHeaders, tokens: Pick<TokenStore, "find">): Required<Credential> {
  const secret = readToken(headers);
  const grant = secret === undefined ? undefined : tokens.find(secret);
  if (secret !== undefined && grant !== undefined) return { grant, secret: new Secret(secret) };
  throw new CaretError("unauthenticated", "This needs a valid token of the gateway.", {
    fix: "Send it as `Authorization: Bearer …` or as `x-api-key`; `caret token create` makes one, `caret link` signs a browser in.",
  });
}

export function assertScope({ name, scopes }: TokenGrant, scope: TokenScope): void {
  if (scopes.includes(scope) || scopes.includes("admin")) return;
  throw new CaretError(
    "forbidden",
    `The token ${JSON.stringify(name)} may not do this: it lacks the scope "${scope}".`,
  );
}

/** Reads one credential only: a right `x-api-key` does not make up for a wrong `Authorization`. */
function readToken(headers: IncomingHttpHeaders): string | undefined {
  const { authorization } = headers;
  const key = headers["x-api-key"];
  if (authorization === undefined && key === undefined) return readPageSecret(headers);
  const token = authorization === undefined ? key : /^bearer +(?<token>\S+)$/i.exec(authorization)?.groups?.["token"];
  if (typeof token !== "string" || token === "" || token.length > MAX_TOKEN_LENGTH) return undefined;
  return token;
}

/**
 * Name of the cookie with one half of a browser's token. All ports of a host share cookies, so this half is worthless alone. The name
 * includes the port, so signing in at one gateway does not sign out of another.
 */
export function pageCookie({ host = "" }: IncomingHttpHeaders): string {
  const port = /:(?<port>\d{1,5})$/.exec(host)?.groups?.["port"];
  return port === undefined ? "caret_page" : `caret_page_${port}`;
}

/** Splits a browser's token: one half for its cookie, one for its page. */
export function cutPageSecret(secret: Secret): { readonly cookie: string; readonly pageKey: string } {
  const whole = secret.reveal();
  const middle = Math.ceil(whole.length / 2);
  return { cookie: whole.slice(0, middle), pageKey: whole.slice(middle) };
}

/** The token whose halves a page sends, or undefined unless both are present. */
export function readPageSecret(headers: IncomingHttpHeaders): string | undefined {
  const cookie = readCookie(headers.cookie ?? "", pageCookie(headers));
  const pageKey = headers.upgrade === undefined ? headers[PAGE_HEADER] : readOffered(headers["sec-websocket-protocol"]);
  if (cookie === undefined || typeof pageKey !== "string") return undefined;
  return HALF.test(cookie) && HALF.test(pageKey) ? cookie + pageKey : undefined;
}

/**
 * Whether the request has the cookie of a signed-in browser. This half of the token is enough for pages that do nothing and hold nothing of
 * the user, since a browser that opens an address cannot send the page's half.
 */
export function hasPageCookie(headers: IncomingHttpHeaders, tokens: TokenStore): boolean {
  const { authorization, "x-api-key": key } = headers;
  if (authorization !== undefined || key !== undefined) return false;
  const cookie = readCookie(headers.cookie ?? "", pageCookie(headers));
  return cookie !== undefined && HALF.test(cookie) && tokens.knowsCookie(cookie);
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
