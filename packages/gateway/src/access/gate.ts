import type { IncomingHttpHeaders } from "node:http";
import type { TokenScope } from "@caret/protocol";
import type { FastifyReply, FastifyRequest } from "fastify";
import { connectionOf } from "../http/client-gone.ts";
import { refusalWith } from "../http/refusals.ts";
import { type StreamMeter, setRequestContext } from "../http/request-context.ts";
import {
  assertScope,
  authenticate,
  BROWSER_CHALLENGE,
  type Credential,
  hasPageCookie,
  withBrowserToken,
} from "./authenticate.ts";
import { assertAllowedHost } from "./host-check.ts";
import type { LiveRequests } from "./live-requests.ts";
import { localGrant } from "./local-connections.ts";
import { assertAllowedOrigin } from "./origin-check.ts";
import type { TokenStore } from "./token-store.ts";

const METHODS_WITH_BODY: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"]);

const JSON_TYPE = "application/json";

interface GateOptions {
  readonly hosts: readonly string[];
  readonly origins: readonly string[];
  readonly tokens: TokenStore;
  readonly live: LiveRequests;
  readonly meter: StreamMeter;
}

/** Throws the reason why the request is not admitted. */
export type Gate = (request: FastifyRequest, reply: FastifyReply) => void;

/** The first check of every request. In order: Host, Origin, content type, token (or the Unix socket), scope. */
export function createGate(options: GateOptions): Gate {
  return (request, reply) => {
    assertAllowedHost(request.raw, options.hosts);
    assertAllowedOrigin(request.raw, options.origins);
    const { url, config } = request.routeOptions;
    assertBody(request);
    const access = accessOf(url, config.access);
    if (access === "public") return;
    const own = localGrant(request.raw);
    if (access === "browser" && hasPageCookie(request.headers, options.tokens)) return;
    if (access === "browser") reply.header("www-authenticate", BROWSER_CHALLENGE);
    const headers = access === "browser" ? withBrowserToken(request.headers) : request.headers;
    const credential = own === undefined ? authenticate(headers, options.tokens) : { grant: own };
    reply.removeHeader("www-authenticate");
    assertAccess(credential, access);
    const { signal, end } = options.live.begin(credential);
    reply.raw.once("close", end);
    const { name, id, scopes, user, team, seesAll, workspace } = credential.grant;
    const whose = { tokenName: name, token: { id, scopes }, user, team, seesAll, workspace };
    const caller = { ...whose, connection: connectionOf(request.raw.socket) };
    setRequestContext(request, { caller, signal, meter: options.meter });
  };
}

function assertAccess({ grant }: Credential, access: Exclude<Access, "public">): void {
  if (access !== "any-token" && access !== "browser") assertScope(grant, access);
}

/** Routes that do not exist take no body, so its type is not checked. */
function assertBody({ method, headers, routeOptions: { url, config } }: FastifyRequest): void {
  const hasBody = headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
  const isFree = url === undefined || (config.takesNoBody === true && !hasBody);
  if (!isFree) assertMediaType(method, headers, config.mediaType);
}

/**
 * Only JSON, or the route's own media type: a cross-site page can send forms and plain text without a CORS preflight, but not these.
 * Compressed bodies are rejected, since their size is known only after decompression.
 */
export function assertMediaType(method: string, headers: IncomingHttpHeaders, wanted = JSON_TYPE): void {
  if (!METHODS_WITH_BODY.has(method)) return;
  const [mediaType = ""] = (headers["content-type"] ?? "").split(";", 1);
  const encoding = headers["content-encoding"] ?? "identity";
  if (mediaType.trim().toLowerCase() === wanted && encoding.toLowerCase() === "identity") return;
  const what = wanted === JSON_TYPE ? "JSON" : "newline-delimited JSON";
  throw refusalWith(415, `The body has to be ${what}, sent with \`content-type: ${wanted}\` and not compressed.`);
}

/**
 * Who may use a route: everyone, any token, or only tokens with a scope. `browser` is any token, also by HTTP Basic from the browser's
 * password prompt, or the cookie of a signed-in browser; only for pages that do nothing and hold nothing of the user, since the browser
 * sends both with every request. Their handlers have no caller.
 */
type Access = "public" | "browser" | "any-token" | TokenScope;

declare module "fastify" {
  interface FastifyContextConfig {
    /** Absent on the stateless doors: their paths decide. */
    readonly access?: Access;
    /** Media type of the body. Default: JSON. Must require a CORS preflight. */
    readonly mediaType?: string | undefined;
    /** Whether a request may come without a body, and so without a media type. */
    readonly takesNoBody?: boolean;
  }
}

/** A route that declares no access is for admins only. */
export function accessOf(url: string | undefined, declared: Access | undefined): Access {
  if (declared !== undefined) return declared;
  // No such route, which clients without a token must not learn.
  if (url === undefined) return "any-token";
  if (isAt(url, "/v1/models")) return "models";
  return ["/v1/chat/completions", "/v1/responses", "/v1/messages"].some((door) => isAt(url, door)) ? "turns" : "admin";
}

function isAt(url: string, path: string): boolean {
  return url === path || url.startsWith(`${path}/`);
}
