import { createHash, type Hash, hash } from "node:crypto";

/** Longer lists are hashed piece by piece: joining them would copy them again. */
const JOINED_CHARACTERS = 64 * 1024;

/**
 * A digest of a list of texts. Includes each text's length, so different lists cannot coincide. A short list is joined first: a call of
 * `update` takes longer than the hashing.
 */
export function fingerprint(texts: readonly string[]): string {
  let joined = "";
  let begun: Hash | undefined;
  for (const text of texts) {
    joined += `${text.length}:${text}`;
    if (joined.length < JOINED_CHARACTERS) continue;
    begun = (begun ?? createHash("sha256")).update(joined);
    joined = "";
  }
  return begun === undefined ? hash("sha256", joined, "base64url") : begun.update(joined).digest("base64url");
}
