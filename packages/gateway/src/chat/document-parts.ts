import { createHash } from "node:crypto";
import { errorCatalogue, type TranscriptPart, type UnpassablePart } from "@caret/protocol";
import { quotedText, quoteTags } from "../prompt/quoted-text.ts";

const SEND_TEXT = "Send its text instead, or put the file into the workspace and name its path.";

/** A text file as a part of what is said, clearly marked as what it is. */
export function documentText(text: string, title: string | undefined): TranscriptPart {
  return { kind: "text", text: quotedText("document", { title }, text.trimEnd()) };
}

export function searchResultText(
  texts: readonly string[],
  fields: { title?: string; source?: string },
): TranscriptPart {
  return { kind: "text", text: quotedText("search_result", fields, texts.join("\n\n")) };
}

/** Parts that belong to one document, between its tags. */
export function documentParts(parts: readonly TranscriptPart[], title: string | undefined): readonly TranscriptPart[] {
  const texts = parts.flatMap((part) => (part.kind === "text" ? [part.text] : []));
  const { open, close } = quoteTags("document", { title }, texts);
  return [{ kind: "text", text: open }, ...parts, { kind: "text", text: close }];
}

export interface FileContent {
  readonly mediaType: string;
  /** In base64. */
  readonly data: string;
}

export const UNKNOWN_TYPE = "application/octet-stream";

/** A file as clients put it into a request: `data:<type>;base64,<data>`, or the base64 alone. */
export function fileContentOf(value: string): FileContent {
  const head = /^data:([^;,]*)(?:;[^;,]*)*?;base64,/i.exec(value);
  if (head === null) return { mediaType: UNKNOWN_TYPE, data: value };
  return { mediaType: (head[1] ?? "").toLowerCase(), data: value.slice(head[0].length) };
}

const TEXT_TYPE = /^text\/|[/+](?:json|xml|yaml|x-yaml|toml|javascript|typescript|x-sh|sql|csv|x-ndjson|graphql)$/;

/** The text of a file that is one, whatever it is called; undefined for everything else. */
export function textOfFile({ mediaType, data }: FileContent): string | undefined {
  const isUnknown = mediaType === "" || mediaType === UNKNOWN_TYPE;
  if (!isUnknown && !TEXT_TYPE.test(mediaType)) return undefined;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(data, "base64"));
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined; // not UTF-8: then it is no text that an agent could read
  }
}

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

/** No door fetches a URL: a client could make the gateway request any address. */
export function imageByAddress(url: string, path: string): UnpassablePart {
  const shown = url.length > 200 ? `${url.slice(0, 199)}…` : url;
  return unpassable(url, `an image at ${shown}`, path, "Send the image itself, in base64.");
}

/** What stands for a part where only text may stand. */
export function textOfPart(part: TranscriptPart): string {
  if (part.kind === "text") return part.text;
  return part.kind === "image" ? "[an image]" : `[${part.label}]`;
}

/** Clients mark a block for their cache and unmark it again: it is the same block. */
function digestOf(source: unknown): string {
  const json = JSON.stringify(source, (key, value) => (key === "cache_control" ? undefined : value)) ?? "";
  return createHash("sha256").update(json).digest("base64url");
}
