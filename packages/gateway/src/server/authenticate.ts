import type { IncomingHttpHeaders } from "node:http";
import { CaretError, Secret } from "@caret/protocol";
import { readPageSecret } from "./page-credential.ts";
import type { Scope, TokenGrant, TokenStore } from "./token-store.ts";

/** Longer than any token of ours; nobody hashes a megabyte for a stranger. */
const MAX_TOKEN_LENGTH = 512;

export interface Credential {
  readonly grant: TokenGrant;
  readonly secret: Secret;
}

/** What makes a browser ask for the token, as the password of whatever name, where a person may look with one. */
export const BROWSER_CHALLENGE = 'Basic realm="Caret: the token is the password", charset="UTF-8"';

/** The headers with a browser's credential in the place where programs have theirs. */
export function withBrowserToken(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const encoded = /^basic +(?<encoded>\S+)$/i.exec(headers.authorization ?? "")?.groups?.["encoded"];
  if (encoded === undefined) return headers;
  const [, ...password] = Buffer.from(encoded, "base64").toString("utf8").split(":");
  return { ...headers, authorization: `Bearer ${password.join(":")}` };
}

/** Who sends this? Throws `unauthenticated` for no token, a wrong one and a revoked one alike: nothing tells them apart. */
export function authenticate(headers: IncomingHttpHeaders, tokens: TokenStore): Credential {
  const secret = readToken(headers);
  const grant = secret === undefined ? undefined : tokens.find(secret);
  if (secret !== undefined && grant !== undefined) return { grant, secret: new Secret(secret) };
  throw new CaretError("unauthenticated", "This needs a valid token of the gateway.", {
    fix: "Send it as `Authorization: Bearer …` or as `x-api-key`; `caret token create` makes one, `caret link` signs a browser in.",
  });
}

export function assertScope({ name, scopes }: TokenGrant, scope: Scope): void {
  if (scopes.includes(scope) || scopes.includes("admin")) return;
  throw new CaretError(
    "forbidden",
    `The token ${JSON.stringify(name)} may not do this: it lacks the scope "${scope}".`,
  );
}

/** One credential counts. A wrong `Authorization` is not mended by a right `x-api-key`. */
function readToken(headers: IncomingHttpHeaders): string | undefined {
  const { authorization } = headers;
  const key = headers["x-api-key"];
  if (authorization === undefined && key === undefined) return readPageSecret(headers);
  const token = authorization === undefined ? key : /^bearer +(?<token>\S+)$/i.exec(authorization)?.groups?.["token"];
  if (typeof token !== "string" || token === "" || token.length > MAX_TOKEN_LENGTH) return undefined;
  return token;
}
