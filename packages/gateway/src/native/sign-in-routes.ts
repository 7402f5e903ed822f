import { CaretError } from "@caret/protocol";
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { cutPageSecret, pageCookie } from "../access/authenticate.ts";
import { readBody } from "../http/read-body.ts";
import { line } from "./fields.ts";
import type { NativeDoorOptions } from "./native-door-options.ts";
import { callOf, type NativeApp, write } from "./native-routes.ts";

const COOKIE_RULES = "Path=/; HttpOnly; SameSite=Strict";
/** The longest Max-Age that browsers accept; the token behind it can be revoked at any time. */
const COOKIE_SECONDS = 400 * 86_400;

const signInBody = z.object({ code: line });

/** Signs a browser in by a one-time link, and out again. */
export function signInRoutes(native: NativeApp, { links, tokens }: NativeDoorOptions): void {
  write(
    native,
    ["POST", "/api/links"],
    { summary: "Create a one-time link that signs a browser in", access: "admin", status: 201 },
    async ({ request, maker }) => links.open(baseOf(request), maker),
  );
  const signInDoc = { summary: "Sign a browser in with the code of a link", body: signInBody };
  // Not idempotent: a repeated sign-in must not get the credential a second time.
  native.app.post("/api/sign-in", { config: { access: "public", doc: signInDoc } }, async (request, reply) => {
    const { code } = readBody(signInBody, request.body);
    const maker = links.redeem(code);
    if (maker === undefined)
      throw new CaretError("unauthenticated", "This sign-in link is no longer valid.", {
        fix: "Run `caret link` for a new one; each works once, for ten minutes.",
      });
    const { cookie, pageKey } = cutPageSecret(await tokens.createForBrowser(maker));
    return reply
      .header("set-cookie", `${pageCookie(request.headers)}=${cookie}; Max-Age=${COOKIE_SECONDS}; ${COOKIE_RULES}`)
      .send({ pageKey });
  });
  const signOutDoc = { summary: "Sign this browser out", status: 204 };
  native.app.post("/api/sign-out", { config: { access: "any-token", doc: signOutDoc } }, async (request, reply) => {
    await tokens.revokeBrowser(callOf(request).caller.tokenName);
    return reply
      .code(204)
      .header("set-cookie", `${pageCookie(request.headers)}=; Max-Age=0; ${COOKIE_RULES}`)
      .send();
  });
}

/** The address that the client used: behind a TLS proxy only the page's `Origin` header has the right scheme. */
function baseOf({ headers }: FastifyRequest): string {
  return headers.origin ?? `http://${headers.host}`;
}
