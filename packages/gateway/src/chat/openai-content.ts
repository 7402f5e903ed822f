import type { TranscriptPart } from "@caret/protocol";
import { z } from "zod";
import { invalidRequest } from "../http/read-body.ts";
import {
  documentText,
  type FileContent,
  fileContentOf,
  imageByAddress,
  malformed,
  textOfFile,
  textOfPart,
  UNKNOWN_TYPE,
  unpassable,
} from "./document-parts.ts";

const DATA_URL = /^data:(image\/[\w.+-]+);base64,/i;
/** Looks for one wrong character; a pattern for the whole string would exhaust the stack on an image of megabytes. */
const NOT_BASE64 = /[^A-Za-z0-9+/=]/;

/** An image from a data URL. Other URLs and broken images become an `UnpassablePart`. */
function toImagePart(url: unknown, path: string): TranscriptPart {
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

const partSchema = z.looseObject({ type: z.string("must be a string") }, "must be an object");

/** Every role may send a string or a list of parts; some clients send nothing besides calls. */
export const contentSchema = z
  .union([z.string(), z.array(partSchema), z.null()], "must be a string or a list of parts, each with a type")
  .optional();

export type Content = z.infer<typeof contentSchema>;
type Part = z.infer<typeof partSchema>;

/** The parts of a user's or tool's message. */
export function toParts(content: Content, path: string): readonly TranscriptPart[] {
  if (content === undefined || content === null) return [];
  if (typeof content === "string") return [{ kind: "text", text: content }];
  return content.map((part, index) => toPart(part, `${path}[${index}]`));
}

/** The text of an assistant's or system message; anything else in it is only mentioned. */
export function toText(content: Content, path: string, separator = ""): string {
  return toParts(content, path).map(textOfPart).join(separator);
}

function toPart(part: Part, path: string): TranscriptPart {
  switch (part.type) {
    case "text":
    case "input_text":
    case "output_text":
    case "summary_text":
      return { kind: "text", text: textOf(part["text"], `${path}.text`) };
    case "refusal":
      return { kind: "text", text: textOf(part["refusal"], `${path}.refusal`) };
    case "image_url":
    case "input_image":
      return toInputImage(part, path);
    case "input_audio":
      return unpassable(part, "a sound", path, "Send its text instead.");
    case "file":
      return toFilePart(fieldsOf(part["file"]), path);
    case "input_file":
      return toFilePart(part, path);
    default:
      return unpassable(part, `content of type ${JSON.stringify(part.type.slice(0, 40))}`, path);
  }
}

function toInputImage(part: Part, path: string): TranscriptPart {
  if (part["file_id"] !== undefined && (part["image_url"] ?? null) === null)
    return unpassable(part, "an image in a file that is stored elsewhere", path, "Send the image itself, in base64.");
  return toImagePart(urlOf(part["image_url"]), `${path}.image_url`);
}

/** Passes text on as text and images as images, whatever they came in. */
function toFilePart(file: Readonly<Record<string, unknown>>, path: string): TranscriptPart {
  const { file_data, filename } = file;
  const name = typeof filename === "string" && filename !== "" ? filename : undefined;
  const label = name === undefined ? "a file" : `a file ${JSON.stringify(name.slice(0, 200))}`;
  if (typeof file_data !== "string") return unpassable(file, `${label} that is stored elsewhere`, path);
  const content = fileContentOf(file_data);
  if (content.mediaType.startsWith("image/")) return toImagePart(file_data, path);
  const text = textOfFile(content);
  return text === undefined ? unpassable(file, `${label}${typeText(content)}`, path) : documentText(text, name);
}

function typeText({ mediaType }: FileContent): string {
  return mediaType === UNKNOWN_TYPE ? "" : ` of type ${mediaType.replace(/^.*\//, "")}`;
}

function textOf(value: unknown, path: string): string {
  if (typeof value !== "string") throw invalidRequest(`${path}: must be a string`);
  return value;
}

function urlOf(image: unknown): unknown {
  return typeof image === "object" && image !== null && "url" in image ? image.url : image;
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
