import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { TokenGrant, TokenStore } from "@caret/gateway";

const TOKEN_BYTES = 32;

const NONE: TokenStore = { find: () => undefined, knowsCookie: () => false };

/** Adds a token that only this process knows to those in `others`. */
export function createOwnToken(
  grant: TokenGrant,
  others: TokenStore = NONE,
): { readonly token: string; readonly tokens: TokenStore } {
  const token = randomBytes(TOKEN_BYTES).toString("base64url");
  const own = digestOf(token);
  return {
    token,
    tokens: {
      find: (secret) => (timingSafeEqual(own, digestOf(secret)) ? grant : others.find(secret)),
      knowsCookie: others.knowsCookie,
    },
  };
}

function digestOf(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}
