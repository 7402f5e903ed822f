import { z } from "zod";
import type { DoorPart } from "../door/door-request.ts";
import { toImagePart } from "./image-part.ts";
import { invalidRequest } from "./read-body.ts";

const partSchema = z.looseObject({ type: z.string("must be a text") }, "must be an object");

/** Every role may send a text or a list of parts; some clients send nothing beside calls. */
export const contentSchema = z
  .union([z.string(), z.array(partSchema), z.null()], "must be a text or a list of parts, each with a type")
  .optional();

export type Content = z.infer<typeof contentSchema>;
type Part = z.infer<typeof partSchema>;

/** The parts of what a user or a tool says. */
export function toParts(content: Content, path: string): readonly DoorPart[] {
  if (content === undefined || content === null) return [];
  if (typeof content === "string") return [{ kind: "text", text: content }];
  return content.map((part, index) => toPart(part, `${path}[${index}]`));
}

/** The text of what the assistant or the system says; an image has no place there. */
export function toText(content: Content, path: string, separator = ""): string {
  return toParts(content, path)
    .map((part, index) => {
      if (part.kind === "text") return part.text;
      throw invalidRequest(`${path}[${index}]: only text may stand here`);
    })
    .join(separator);
}

function toPart(part: Part, path: string): DoorPart {
  switch (part.type) {
    case "text":
    case "input_text":
    case "output_text":
    case "summary_text":
      return { kind: "text", text: textOf(part["text"], `${path}.text`) };
    case "refusal":
      return { kind: "text", text: textOf(part["refusal"], `${path}.refusal`) };
    case "image_url":
      return toImagePart(urlOf(part["image_url"]), `${path}.image_url`);
    case "input_image":
      return toInputImage(part, path);
    case "input_audio":
      throw invalidRequest(`${path}: audio cannot be sent to Cursor's agent; send text or an image`);
    case "file":
    case "input_file":
      throw invalidRequest(`${path}: files cannot be attached; put the file into the workspace or send its text`);
    default:
      throw invalidRequest(`${path}: content of type "${part.type.slice(0, 40)}" is not known here`);
  }
}

function toInputImage(part: Part, path: string): DoorPart {
  if (part["image_url"] === undefined || part["image_url"] === null)
    throw invalidRequest(`${path}: an image must come with its image_url; stored files are not kept here`);
  return toImagePart(urlOf(part["image_url"]), `${path}.image_url`);
}

function textOf(value: unknown, path: string): string {
  if (typeof value !== "string") throw invalidRequest(`${path}: must be a text`);
  return value;
}

function urlOf(image: unknown): unknown {
  return typeof image === "object" && image !== null && "url" in image ? image.url : image;
}
