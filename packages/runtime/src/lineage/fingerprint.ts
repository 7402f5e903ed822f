import { createHash } from "node:crypto";

/** A digest of a list of texts. Each text's length goes in too, so that no two lists can run together. */
export function fingerprint(texts: readonly string[]): string {
  const hash = createHash("sha256");
  for (const text of texts) hash.update(`${text.length}:`).update(text);
  return hash.digest("base64url");
}
