/** ASN.1 in its distinguished encoding: a tag, a length, the content. */
export function der(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([Buffer.from([tag]), encodeLength(body.length), body]);
}

export const sequence = (...parts: readonly Uint8Array[]): Buffer => der(0x30, ...parts);
export const set = (...parts: readonly Uint8Array[]): Buffer => der(0x31, ...parts);
export const octets = (content: Uint8Array): Buffer => der(0x04, content);
export const bits = (content: Uint8Array): Buffer => der(0x03, Buffer.from([0]), content);
export const yes = (): Buffer => der(0x01, Buffer.from([0xff]));
export const utf8 = (text: string): Buffer => der(0x0c, Buffer.from(text, "utf8"));
/** A part that its number names, and whose content is made of parts. */
export const numbered = (number: number, ...parts: readonly Uint8Array[]): Buffer => der(0xa0 + number, ...parts);

/** A positive integer; a leading zero keeps its sign. */
export function integer(bytes: Uint8Array): Buffer {
  return der(0x02, (bytes[0] ?? 0) > 0x7f ? Buffer.concat([Buffer.from([0]), bytes]) : bytes);
}

/** An object identifier, given by its dotted name. */
export function identifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return der(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

/** A moment before 2050, to the second: the year has two digits. */
export function time(moment: Date): Buffer {
  const digits = moment.toISOString().replace(/^\d\d|[-:T]|\.\d+/g, "");
  return der(0x17, Buffer.from(digits, "latin1"));
}

function encodeLength(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const hex = length.toString(16);
  const bytes = Buffer.from(hex.padStart(hex.length + (hex.length % 2), "0"), "hex");
  return Buffer.concat([Buffer.from([0x80 | bytes.length]), bytes]);
}

function base128(value: number): number[] {
  const low = value & 0x7f;
  return value < 0x80 ? [low] : [...base128(value >> 7).map((byte) => byte | 0x80), low];
}
