import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Caller } from "@caret/protocol";

const VALID_MS = 10 * 60_000;
const MAX_OPEN = 20;
const CODE_BYTES = 24;

export interface SignInLink {
  readonly url: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/**
 * One-time codes that let a browser in. They are kept as digests and in memory only: reading the disk or restarting
 * the gateway has none.
 */
export interface SignInLinks {
  /** The code stands behind the `#`, which no browser sends to a server or to the next page. */
  open(base: string, maker: Caller): SignInLink;
  /** Who made it, once, for a code that was opened in the last ten minutes. */
  redeem(code: string): Caller | undefined;
}

export function createSignInLinks({ now }: { readonly now: () => number }): SignInLinks {
  let open: readonly { readonly digest: Buffer; readonly expiresAt: number; readonly maker: Caller }[] = [];

  return {
    open(base, maker) {
      const code = randomBytes(CODE_BYTES).toString("base64url");
      const expiresAt = now() + VALID_MS;
      // Keep the newest twenty; older unused links are dropped.
      open = [...open, { digest: digest(code), expiresAt, maker }].slice(-MAX_OPEN);
      return { url: `${base}/#/sign-in/${code}`, expiresAt };
    },
    redeem(code) {
      const wanted = digest(code);
      // Compare with all of them: the time must not reveal which one matched.
      const found = open.filter((link) => timingSafeEqual(link.digest, wanted));
      open = open.filter((link) => !found.includes(link));
      return found.find(({ expiresAt }) => expiresAt > now())?.maker;
    },
  };
}

function digest(code: string): Buffer {
  return createHash("sha256").update(code).digest();
}
