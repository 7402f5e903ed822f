import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import type { Secret } from "@caret/protocol";

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts a conversation's summary, so its client can keep it and only this gateway can read it. */
export interface CompactionSeal {
  seal(owner: string, summary: string): string;
  /** Undefined if another gateway sealed it, it is another owner's, or it was changed. */
  open(owner: string, sealed: string): string | undefined;
}

/** AES-256-GCM under a key derived from the gateway's, which is requested on first use; the owner is authenticated data. */
export function createCompactionSeal(gatewayKey: () => Secret): CompactionSeal {
  let derived: Buffer | undefined;
  const key = (): Buffer =>
    (derived ??= Buffer.from(hkdfSync("sha256", gatewayKey().reveal(), "", "caret compaction", 32)));
  return {
    seal(owner, summary) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", key(), nonce).setAAD(Buffer.from(owner));
      const sealed = Buffer.concat([cipher.update(summary, "utf8"), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString("base64url");
    },
    open(owner, sealed) {
      const bytes = Buffer.from(sealed, "base64url");
      if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
      const decipher = createDecipheriv("aes-256-gcm", key(), bytes.subarray(0, NONCE_BYTES));
      decipher.setAAD(Buffer.from(owner)).setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      try {
        const text = [decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()];
        return Buffer.concat(text).toString("utf8");
      } catch {
        // Not sealed with this key for this owner: the caller rejects it.
        return undefined;
      }
    },
  };
}
