import type { DoorPart } from "../door/door-request.ts";
import { invalidRequest } from "./read-body.ts";

const DATA_URL = /^data:(image\/[\w.+-]+);base64,/i;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** An image by data URL or by address. No door fetches anything: an address goes on as it is. */
export function toImagePart(url: unknown, path: string): DoorPart {
  if (typeof url !== "string") throw invalidRequest(`${path}: must be a text with the image's URL`);
  const head = DATA_URL.exec(url);
  if (head?.[1] !== undefined) {
    const data = url.slice(head[0].length);
    if (!BASE64.test(data)) throw invalidRequest(`${path}: the image is not base64`);
    return { kind: "image", mediaType: head[1].toLowerCase(), data };
  }
  if (!/^https?:\/\//i.test(url))
    throw invalidRequest(`${path}: must be an http(s) address or a data URL of an image in base64`);
  return { kind: "image-url", url };
}
