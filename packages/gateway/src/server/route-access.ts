import type { Scope } from "./token-store.ts";

/**
 * Who may use a route: everybody, whoever has a token, or only tokens with a scope. `browser` is any token, also as a
 * browser sends it when it has asked its user; only for pages that do nothing, since it then sends it unasked.
 */
export type Access = "public" | "browser" | "any-token" | Scope;

declare module "fastify" {
  interface FastifyContextConfig {
    /** Left out by the doors, whose paths say it. */
    readonly access?: Access;
    /** What its body has to be; JSON when left out. It must be one that pages of other sites cannot send unasked. */
    readonly mediaType?: string;
  }
}

/** A route that nobody has thought about is for admins. */
export function accessOf(url: string | undefined, declared: Access | undefined): Access {
  if (declared !== undefined) return declared;
  // There is no such route. Strangers are not told so.
  if (url === undefined) return "any-token";
  if (isAt(url, "/v1/models")) return "models";
  return ["/v1/chat/completions", "/v1/responses", "/v1/messages"].some((door) => isAt(url, door)) ? "turns" : "admin";
}

/** Routes that start an agent, and so need a place. Counting tokens does not. */
export function startsTurn(method: string, url: string | undefined): boolean {
  return method === "POST" && accessOf(url, undefined) === "turns" && !url?.endsWith("/count_tokens");
}

function isAt(url: string, path: string): boolean {
  return url === path || url.startsWith(`${path}/`);
}
