/** Text contains no NUL; nearly all binary data does early on. */
export function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, SAMPLE_BYTES).includes(0);
}

/** Enough to recognise a binary file. */
const SAMPLE_BYTES = 8 * 1024;

/** Decodes UTF-8, keeping the byte order mark; undefined if it is not UTF-8. */
export function utf8Text(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined; // what a fatal decoder throws says only this
  }
}

/** Converts text to bytes and back, only where the round trip is exact. */
export interface TextEncoding {
  /** Undefined for bytes that would not survive the round trip. */
  decode(bytes: Buffer): string | undefined;
  /** Undefined for text with characters the encoding lacks. */
  encode(text: string): Buffer | undefined;
}

/** Encodings by the names programs use. Undefined if unknown. */
export function encodingOf(name: string): TextEncoding | undefined {
  const plain = name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
  if (/^utf8/.test(plain)) return { decode: utf8Text, encode: (text) => Buffer.from(text) };
  if (plain === "utf16le" || plain === "utf16" || plain === "ucs2") return twoBytes((bytes) => bytes);
  if (plain === "utf16be") return twoBytes((bytes) => Buffer.from(bytes).swap16());
  const [, start = "", rest = ""] = /^(windows|iso8859|macroman)(\d*)$/.exec(plain) ?? [];
  const label = standardNames[start];
  return oneByte(label === undefined ? name : `${label}${rest}`);
}

/** Editors drop the separators in the standard names. */
const standardNames: Readonly<Record<string, string>> = {
  windows: "windows-",
  iso8859: "iso-8859-",
  macroman: "macintosh",
};

function twoBytes(order: (bytes: Buffer) => Buffer): TextEncoding {
  return {
    decode(bytes) {
      if (bytes.length % 2 !== 0) return undefined;
      const text = order(bytes).toString("utf16le");
      return text.isWellFormed() ? text : undefined;
    },
    encode: (text) => order(Buffer.from(text, "utf16le")),
  };
}

/** One character per byte. For an encoding with multibyte characters, only the single-byte ones are supported. */
function oneByte(label: string): TextEncoding | undefined {
  const decoder = decoderOf(label);
  if (decoder === undefined) return undefined;
  const characters = Array.from({ length: 256 }, (_, byte) => characterOf(decoder, byte));
  const bytes = new Map(characters.map((character, byte) => [character, byte]));
  return {
    decode(encoded) {
      const text: string[] = [];
      for (const byte of encoded) {
        const character = characters[byte];
        if (character === undefined) return undefined;
        text.push(character);
      }
      return text.join("");
    },
    encode(text) {
      const encoded = Array.from(text, (character) => bytes.get(character));
      return encoded.includes(undefined) ? undefined : Buffer.from(encoded as number[]);
    },
  };
}

function decoderOf(label: string): InstanceType<typeof TextDecoder> | undefined {
  try {
    return new TextDecoder(label, { fatal: true, ignoreBOM: true });
  } catch {
    return undefined; // unknown name, as the caller asks
  }
}

function characterOf(decoder: InstanceType<typeof TextDecoder>, byte: number): string | undefined {
  try {
    return decoder.decode(Uint8Array.of(byte)) || undefined;
  } catch {
    return undefined; // the byte is not a character by itself
  }
}
