import { createHash } from "node:crypto";
import { errorCatalogue, type TranscriptPart, type UnpassablePart } from "@caret/protocol";
import { quotedText, quoteTags } from "../prompt/quoted-text.ts";

const SEND_TEXT = "Send its text instead, or put the file into the workspace and name its path.";

/** A text file as a transcript part, marked as a document. */
export function documentText(text: string, title: string | undefined): TranscriptPart {
  return { kind: "text", text: quotedText("document", { title }, text.trimEnd()) };
}

export function searchResultText(
  texts: readonly string[],
  fields: { title?: string; source?: string },
): TranscriptPart {
  return { kind: "text", text: quotedText("search_result", fields, texts.join("\n\n")) };
}

/** A document's parts, between its tags. */
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

/** A file as clients put it into a request: `data:<type>;base64,<data>`, or just the base64. */
export function fileContentOf(value: string): FileContent {
  const head = /^data:([^;,]*)(?:;[^;,]*)*?;base64,/i.exec(value);
  if (head === null) return { mediaType: UNKNOWN_TYPE, data: value };
  return { mediaType: (head[1] ?? "").toLowerCase(), data: value.slice(head[0].length) };
}

const TEXT_TYPE = /^text\/|[/+](?:json|xml|yaml|x-yaml|toml|javascript|typescript|x-sh|sql|csv|x-ndjson|graphql)$/;

/** A file's text if it is text, whatever its name; else undefined. */
export function textOfFile({ mediaType, data }: FileContent): string | undefined {
  const isUnknown = mediaType === "" || mediaType === UNKNOWN_TYPE;
  if (!isUnknown && !TEXT_TYPE.test(mediaType)) return undefined;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(data, "base64"));
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined; // not UTF-8, so no text an agent could read
  }
}

/** Content of a kind that no agent can be given. */
export function unpassable(source: unknown, label: string, path: string, fix = SEND_TEXT): UnpassablePart {
  const message = `${path}: ${label} cannot be passed on to the agent`;
  return { kind: "unpassable", label, digest: digestOf(source), refusal: { message, fix } };
}

/** Content that could be passed on if it were intact. */
export function malformed(source: unknown, label: string, message: string): UnpassablePart {
  const refusal = { message, fix: errorCatalogue["invalid-request"].fix };
  return { kind: "unpassable", label, digest: digestOf(source), refusal };
}

/** No door fetches URLs: clients could make the gateway request any address. */
export function imageByAddress(url: string, path: string): UnpassablePart {
  const shown = url.length > 200 ? `${url.slice(0, 199)}…` : url;
  return unpassable(url, `an image at ${shown}`, path, "Send the image itself, in base64.");
}

/** Text in place of a part, where only text is allowed. */
export function textOfPart(part: TranscriptPart): string {
  if (part.kind === "text") return part.text;
  return part.kind === "image" ? "[an image]" : `[${part.label}]`;
}

/** Ignores cache marks, which clients set and unset: it is the same block. */
function digestOf(source: unknown): string {
  const json = JSON.stringify(source, (key, value) => (key === "cache_control" ? undefined : value)) ?? "";
  return createHash("sha256").update(json).digest("base64url");
}
