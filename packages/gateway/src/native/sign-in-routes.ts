import { CaretError } from "@caret/protocol";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { readBody } from "../http/read-body.ts";
import { cutPageSecret, pageCookie } from "../server/authenticate.ts";
import { signInBody } from "./bodies.ts";
import type { Idempotency } from "./idempotency.ts";
import { callOf, command } from "./native-command.ts";
import type { NativeDoorOptions } from "./native-door-options.ts";

const COOKIE_RULES = "Path=/; HttpOnly; SameSite=Strict";
/** Browsers keep no cookie for longer; a token can be revoked at any time. */
const COOKIE_SECONDS = 400 * 86_400;

/** How a browser gets in without anyone typing a token, and out again. */
export function signInRoutes(app: FastifyInstance, options: NativeDoorOptions, idempotency: Idempotency): void {
  const { links, tokens } = options;
  app.post(
    "/api/links",
    { config: { access: "admin" } },
    command(idempotency, async ({ request }) => ({ status: 201, body: links.open(baseOf(request)) })),
  );
  // No idempotency here: whoever repeats a sign-in must not get the credential a second time.
  app.post("/api/sign-in", { config: { access: "public" } }, async (request, reply) => {
    const { code } = readBody(signInBody, request.body);
    if (!links.redeem(code))
      throw new CaretError("unauthenticated", "This sign-in link is not valid any more.", {
        fix: "Run `caret link` for a new one; each works once, for ten minutes.",
      });
    const { cookie, pageKey } = cutPageSecret(await tokens.createForBrowser());
    return reply
      .header("set-cookie", `${pageCookie(request.headers)}=${cookie}; Max-Age=${COOKIE_SECONDS}; ${COOKIE_RULES}`)
      .send({ pageKey });
  });
  app.post("/api/sign-out", { config: { access: "any-token" } }, async (request, reply) => {
    await tokens.revokeBrowser(callOf(request).caller.tokenName);
    return reply
      .code(204)
      .header("set-cookie", `${pageCookie(request.headers)}=; Max-Age=0; ${COOKIE_RULES}`)
      .send();
  });
}

/** Where the one who asks has reached us: behind a proxy only a page's own address tells whether that is over HTTPS. */
function baseOf({ headers }: FastifyRequest): string {
  return headers.origin ?? `http://${headers.host}`;
}
