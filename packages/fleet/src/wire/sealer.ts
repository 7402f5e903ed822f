import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { CaretError, type Secret } from "@caret/protocol";

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts what gateways and workers exchange through the database: prompts, transcripts, answers, all unredacted. The log redacts secrets,
 * but the queue must not alter anything, so it stores no plain text.
 */
export interface Sealer {
  seal(value: unknown): Buffer;
  /** Throws `invalid-config` if another key sealed it. */
  open(bytes: Uint8Array): unknown;
}

/** AES-256-GCM under a key derived from the fleet's. */
export function createSealer(fleetKey: Secret): Sealer {
  const key = Buffer.from(hkdfSync("sha256", fleetKey.reveal(), "", "caret fleet queue", 32));
  return {
    seal(value) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", key, nonce);
      const sealed = Buffer.concat([cipher.update(JSON.stringify(value), "utf8"), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
    },
    open(bytes) {
      const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, NONCE_BYTES));
      decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      try {
        const text = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
        return JSON.parse(text.toString("utf8"));
      } catch (cause) {
        throw new CaretError("invalid-config", "A row of the queue was sealed with another fleet key", {
          fix: "Give every gateway and worker of the fleet the same `fleet.key`.",
          cause,
        });
      }
    },
  };
}
