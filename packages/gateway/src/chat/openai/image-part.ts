import type { TranscriptPart } from "@caret/protocol";
import { imageByAddress, malformed } from "../document-parts.ts";

const DATA_URL = /^data:(image\/[\w.+-]+);base64,/i;
/** Looks for one wrong character; a pattern for the whole of it would exhaust the stack on an image of megabytes. */
const NOT_BASE64 = /[^A-Za-z0-9+/=]/;

/** An image by data URL. One that is an address, or broken, is told as what it is. */
export function toImagePart(url: unknown, path: string): TranscriptPart {
  const broken = (message: string): TranscriptPart => malformed(url, "an image that is broken", `${path}: ${message}`);
  if (typeof url !== "string") return broken("must be a string with the image's URL");
  const head = DATA_URL.exec(url);
  if (head?.[1] !== undefined) {
    const data = url.slice(head[0].length);
    if (data === "" || NOT_BASE64.test(data)) return broken("the image is not base64");
    return { kind: "image", mediaType: head[1].toLowerCase(), data };
  }
  if (!/^https?:\/\//i.test(url)) return broken("must be an http(s) address or a data URL of an image in base64");
  return imageByAddress(url, path);
}
