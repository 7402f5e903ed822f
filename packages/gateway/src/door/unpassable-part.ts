import { createHash } from "node:crypto";
import { errorCatalogue } from "@caret/protocol";
import type { DoorPart, UnpassablePart } from "./door-request.ts";

const SEND_TEXT = "Send its text instead, or put the file into the workspace and name its path.";

/** Something of a kind that no agent can be given. */
export function unpassable(source: unknown, label: string, path: string, fix = SEND_TEXT): UnpassablePart {
  const message = `${path}: ${label} cannot be passed on to the agent`;
  return { kind: "unpassable", label, digest: digestOf(source), refusal: { message, fix } };
}

/** Something that could be given to an agent if it were whole. */
export function malformed(source: unknown, label: string, message: string): UnpassablePart {
  const refusal = { message, fix: errorCatalogue["invalid-request"].fix };
  return { kind: "unpassable", label, digest: digestOf(source), refusal };
}

/** No door fetches anything: whoever names an address would have the gateway ask it. */
export function imageByAddress(url: string, path: string): UnpassablePart {
  const shown = url.length > 200 ? `${url.slice(0, 199)}…` : url;
  return unpassable(url, `an image at ${shown}`, path, "Send the image itself, in base64.");
}

/** What stands for a part where only text may stand. */
export function textOfPart(part: DoorPart): string {
  if (part.kind === "text") return part.text;
  return part.kind === "image" ? "[an image]" : `[${part.label}]`;
}

/** Clients mark a block for their cache and unmark it again: it is the same block. */
function digestOf(source: unknown): string {
  const json = JSON.stringify(source, (key, value) => (key === "cache_control" ? undefined : value)) ?? "";
  return createHash("sha256").update(json).digest("base64url");
}
