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

/** One-time codes that sign a browser in. Kept as digests and only in memory: the disk has none of them, and a restart drops them. */
export interface SignInLinks {
  /** The code comes after the `#`, which browsers send neither to a server nor to the next page. */
  open(base: string, maker: Caller): SignInLink;
  /** Returns who made it, once, for a code opened in the last ten minutes. */
  redeem(code: string): Caller | undefined;
}

export function createSignInLinks({ now }: { readonly now: () => number }): SignInLinks {
  let open: readonly { readonly digest: Buffer; readonly expiresAt: number; readonly maker: Caller }[] = [];

  return {
    open(base, maker) {
      const code = randomBytes(CODE_BYTES).toString("base64url");
      const expiresAt = now() + VALID_MS;
      // Keeps the newest twenty; older unused links are dropped.
      open = [...open, { digest: digest(code), expiresAt, maker }].slice(-MAX_OPEN);
      return { url: `${base}/#/sign-in/${code}`, expiresAt };
    },
    redeem(code) {
      const wanted = digest(code);
      // Compares with all of them: the time must not reveal which one matched.
      const found = open.filter((link) => timingSafeEqual(link.digest, wanted));
      open = open.filter((link) => !found.includes(link));
      return found.find(({ expiresAt }) => expiresAt > now())?.maker;
    },
  };
}

function digest(code: string): Buffer {
  return createHash("sha256").update(code).digest();
}
