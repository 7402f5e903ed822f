import { CaretError, type TranscriptPart } from "@caret/protocol";
import { z } from "zod";
import {
  documentParts,
  documentText,
  imageByAddress,
  malformed,
  searchResultText,
  textOfFile,
  unpassable,
} from "../document-parts.ts";
import type { ContentBlock } from "./messages-body.ts";

type Parts = readonly TranscriptPart[];
type Fields = Readonly<Record<string, unknown>>;

/** Looks for one wrong character; a pattern for the whole of it would exhaust the stack on an image of megabytes. */
const base64 = z
  .string()
  .min(1)
  .refine((data) => !/[^\w+/=-]/.test(data));
const imageSource = z.union([
  z.object({ type: z.literal("base64"), media_type: z.string().startsWith("image/"), data: base64 }),
  z.object({ type: z.literal("url"), url: z.url({ protocol: /^https?$/ }) }),
]);
const documentSource = z.union([
  z.object({ type: z.literal("text"), data: z.string() }),
  z.object({ type: z.literal("base64"), media_type: z.string(), data: z.string() }),
  z.object({
    type: z.literal("content"),
    content: z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]),
  }),
]);

/** What the user says. Nothing in it fails the request here: what cannot be passed on is told as such. */
export function toContentParts(block: ContentBlock, path: string): Parts {
  switch (block.type) {
    case "text":
      if (typeof block["text"] === "string") return [{ kind: "text", text: block["text"] }];
      throw new CaretError("invalid-request", `${path}.text: must be a string.`);
    case "image":
      return [toImage(block, path)];
    case "document":
      return toDocument(block, path);
    case "search_result":
      return [toSearchResult(block)];
    default:
      return [unpassable(block, `a block of type ${JSON.stringify(block.type.slice(0, 64))}`, path)];
  }
}

/** What a tool gave. Structures that only a model reads go on as JSON; a reference to a tool says that it is there now. */
export function toResultParts(block: ContentBlock, path: string): Parts {
  if (block.type === "tool_reference")
    return [{ kind: "text", text: `The tool \`${String(block["tool_name"])}\` can be called now.` }];
  const isKnown = ["text", "image", "document", "search_result"].includes(block.type);
  return isKnown ? toContentParts(block, path) : [{ kind: "text", text: JSON.stringify(block) }];
}

function toImage(block: ContentBlock, path: string): TranscriptPart {
  const { data: source } = imageSource.safeParse(block["source"]);
  if (source?.type === "base64") return { kind: "image", mediaType: source.media_type, data: source.data };
  if (source?.type === "url") return imageByAddress(source.url, path);
  if (fieldsOf(block["source"])["type"] === "file")
    return unpassable(block, "an image in a file that is stored elsewhere", path, "Send the image itself, in base64.");
  const message = `${path}.source: must be a base64 image with its media type, or the address of one`;
  return malformed(block, "an image that is broken", message);
}

function toDocument(block: ContentBlock, path: string): Parts {
  const title = typeof block["title"] === "string" ? block["title"] : undefined;
  const { data: source } = documentSource.safeParse(block["source"]);
  if (source?.type === "text") return [documentText(source.data, title)];
  if (source?.type === "content") return toNestedDocument(source.content, title, path);
  const text = source && textOfFile({ mediaType: source.media_type, data: source.data });
  if (text !== undefined) return [documentText(text, title)];
  const kind = source?.media_type === "application/pdf" ? "a PDF document" : "a document";
  return [unpassable(block, title === undefined ? kind : `${kind} ${JSON.stringify(title.slice(0, 200))}`, path)];
}

function toNestedDocument(content: string | readonly ContentBlock[], title: string | undefined, path: string): Parts {
  if (typeof content === "string") return [documentText(content, title)];
  const parts = content.flatMap((nested, index) => toContentParts(nested, `${path}.source.content.${index}`));
  return documentParts(parts, title);
}

function toSearchResult({ title, source, content }: ContentBlock): TranscriptPart {
  const texts = Array.isArray(content) ? content.map((part) => fieldsOf(part)["text"]) : [content];
  return searchResultText(
    texts.filter((text) => typeof text === "string"),
    { ...(typeof title === "string" ? { title } : {}), ...(typeof source === "string" ? { source } : {}) },
  );
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}
