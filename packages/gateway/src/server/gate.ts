import type { FastifyReply, FastifyRequest } from "fastify";
import { connectionOf } from "../http/connection-of.ts";
import { type StreamMeter, setRequestContext } from "../http/request-context.ts";
import type { Admission } from "./admission.ts";
import { assertScope, authenticate, BROWSER_CHALLENGE, type Credential, withBrowserToken } from "./authenticate.ts";
import { assertMediaType } from "./content-type-check.ts";
import { assertAllowedHost } from "./host-check.ts";
import type { LiveRequests } from "./live-requests.ts";
import { assertAllowedOrigin } from "./origin-check.ts";
import { type Access, accessOf, startsTurn } from "./route-access.ts";
import type { TokenStore } from "./token-store.ts";

export interface GateOptions {
  readonly hosts: readonly string[];
  readonly origins: readonly string[];
  readonly tokens: TokenStore;
  readonly admission: Admission;
  readonly live: LiveRequests;
  readonly meter: StreamMeter;
}

/** Rejects with the reason for which a request does not get in. */
export type Gate = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/**
 * Every request passes here before anything else of ours sees it, in this order: is it meant for us, does a foreign page
 * send it, is it JSON, who sends it, may they, is there room.
 */
export function createGate(options: GateOptions): Gate {
  return async (request, reply) => {
    assertAllowedHost(request.raw, options.hosts);
    assertAllowedOrigin(request.raw, options.origins);
    const { url, config } = request.routeOptions;
    assertMediaType(request.method, request.headers, config.mediaType);
    const access = accessOf(url, config.access);
    if (access === "public") return;
    if (access === "browser") reply.header("www-authenticate", BROWSER_CHALLENGE);
    const headers = access === "browser" ? withBrowserToken(request.headers) : request.headers;
    const credential = authenticate(headers, options.tokens);
    reply.removeHeader("www-authenticate");
    assertAccess(credential, access);
    const leave = startsTurn(request.method, url) ? options.admission.enter(credential.grant.name) : undefined;
    const { signal, end } = options.live.begin(credential);
    reply.raw.once("close", () => {
      end();
      leave?.();
    });
    const { name, workspace } = credential.grant;
    const caller = { tokenName: name, workspace, connection: connectionOf(request.raw.socket) };
    setRequestContext(request, { caller, signal, meter: options.meter });
  };
}

function assertAccess({ grant }: Credential, access: Exclude<Access, "public">): void {
  if (access !== "any-token" && access !== "browser") assertScope(grant, access);
}
