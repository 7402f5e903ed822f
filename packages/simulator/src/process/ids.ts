import { createHash, randomBytes } from "node:crypto";

/** A source of ids. With a seed it always gives the same ones in the same order. */
export interface Ids {
  uuid(): string;
  /** `length` lower-case letters and digits. */
  short(length: number): string;
  /** A whole number below 2^32. */
  number(): number;
  /** An independent source whose ids depend only on this one's seed and the label. */
  fork(label: string): Ids;
}

const alphabet = "0123456789abcdefghijklmnopqrstuvwxyz";

export function createIds(seed: string | undefined): Ids {
  let drawn = 0;
  function bytes(length: number): Buffer {
    if (seed === undefined) return randomBytes(length);
    drawn += 1;
    return createHash("sha512").update(`${seed}#${drawn}`).digest().subarray(0, length);
  }
  return {
    uuid: () => toUuid(bytes(16)),
    short: (length) => Array.from(bytes(length), (byte) => alphabet[byte % alphabet.length]).join(""),
    number: () => bytes(4).readUInt32BE(),
    fork: (label) => createIds(seed === undefined ? undefined : `${seed}/${label}`),
  };
}

function toUuid(bytes: Buffer): string {
  const copy = Buffer.from(bytes);
  copy[6] = ((copy[6] ?? 0) & 0x0f) | 0x40;
  copy[8] = ((copy[8] ?? 0) & 0x3f) | 0x80;
  const hex = copy.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
