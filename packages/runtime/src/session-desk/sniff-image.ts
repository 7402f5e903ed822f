export interface ImageKind {
  readonly mediaType: string;
  /** Of a file's name. */
  readonly ending: string;
}

const kinds: readonly (ImageKind & { readonly fits: (bytes: Buffer) => boolean })[] = [
  { mediaType: "image/png", ending: "png", fits: (bytes) => startsWith(bytes, "89504e470d0a1a0a") },
  { mediaType: "image/jpeg", ending: "jpg", fits: (bytes) => startsWith(bytes, "ffd8ff") },
  { mediaType: "image/gif", ending: "gif", fits: (bytes) => startsWith(bytes, "47494638") },
  {
    mediaType: "image/webp",
    ending: "webp",
    fits: (bytes) => startsWith(bytes, "52494646") && bytes.toString("latin1", 8, 12) === "WEBP",
  },
];

/** What a file really is, by its first bytes, whatever it was said to be. */
export function sniffImage(bytes: Buffer): ImageKind | undefined {
  const found = kinds.find(({ fits }) => fits(bytes));
  return found === undefined ? undefined : { mediaType: found.mediaType, ending: found.ending };
}

function startsWith(bytes: Buffer, hex: string): boolean {
  return bytes.subarray(0, hex.length / 2).toString("hex") === hex;
}
