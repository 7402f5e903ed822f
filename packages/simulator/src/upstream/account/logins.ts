import { createHash } from "node:crypto";
import type { TokenPair, Tokens } from "./tokens.ts";

/** Logins by a browser: a client shows a link, the user follows it, and the client polls until that has happened. */
export interface Logins {
  /** The user has followed the link and agreed. */
  approve(uuid: string, challenge: string): void;
  /** The tokens, once the link was followed and the verifier belongs to its challenge. */
  poll(uuid: string, verifier: string): (TokenPair & { readonly authId: string }) | undefined;
}

export function createLogins(tokens: Tokens): Logins {
  const approved = new Map<string, string>();
  return {
    approve: (uuid, challenge) => approved.set(uuid, challenge),
    poll(uuid, verifier) {
      if (approved.get(uuid) !== createHash("sha256").update(verifier).digest("base64url")) return undefined;
      approved.delete(uuid);
      return { ...tokens.issue(), authId: "auth0|simulated" };
    },
  };
}
