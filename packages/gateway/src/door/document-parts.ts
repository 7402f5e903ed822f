import type { DoorPart } from "./door-request.ts";

/** A text file as a part of what is said, clearly marked as what it is. */
export function documentText(text: string, title: string | undefined): DoorPart {
  return { kind: "text", text: `${openTag("document", { title })}\n${text.trimEnd()}\n</document>` };
}

export function searchResultText(texts: readonly string[], fields: { title?: string; source?: string }): DoorPart {
  return { kind: "text", text: `${openTag("search_result", fields)}\n${texts.join("\n\n")}\n</search_result>` };
}

/** Parts that belong to one document, between its tags. */
export function documentParts(parts: readonly DoorPart[], title: string | undefined): readonly DoorPart[] {
  const open: DoorPart = { kind: "text", text: openTag("document", { title }) };
  return [open, ...parts, { kind: "text", text: "</document>" }];
}

export interface FileContent {
  readonly mediaType: string;
  /** In base64. */
  readonly data: string;
}

export const UNKNOWN_TYPE = "application/octet-stream";

/** A file as clients put it into a request: `data:<type>;base64,<data>`, or the base64 alone. */
export function fileContentOf(value: string): FileContent {
  const head = /^data:([^;,]*)[^,]*;base64,/i.exec(value);
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

function openTag(name: string, fields: Readonly<Record<string, string | undefined>>): string {
  const written = Object.entries(fields).flatMap(([key, value]) => (value ? [` ${key}=${JSON.stringify(value)}`] : []));
  return `<${name}${written.join("")}>`;
}
