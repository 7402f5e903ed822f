import type { ContentBlock } from "@agentclientprotocol/sdk";
import { CaretError, type PromptImage } from "@caret/protocol";
import { quotedText } from "../prompt/quoted-text.ts";

const FILE = "file://";

export interface PromptContent {
  readonly prompt: string;
  readonly images: readonly PromptImage[];
}

/** The blocks of a prompt as one text, in their order, and the pictures among them. Rejects what no agent can be given. */
export function readPrompt(blocks: readonly ContentBlock[]): PromptContent {
  const images: PromptImage[] = [];
  const texts: string[] = [];
  for (const block of blocks) {
    const image = imageOf(block);
    if (image === undefined) texts.push(textOf(block));
    else images.push(image);
  }
  return { prompt: texts.join("\n"), images };
}

/** The same for a lane that cannot pass pictures on: a note stands in the place of each. */
export function readPromptWithoutImages(blocks: readonly ContentBlock[]): string {
  return blocks.map((block) => (imageOf(block) === undefined ? textOf(block) : "[an image]")).join("\n");
}

function imageOf(block: ContentBlock): PromptImage | undefined {
  if (block.type === "image") return { mediaType: block.mimeType, base64: block.data };
  if (block.type !== "resource" || !("blob" in block.resource)) return undefined;
  const { mimeType, blob } = block.resource;
  return mimeType?.startsWith("image/") === true ? { mediaType: mimeType, base64: blob } : undefined;
}

function textOf(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "resource_link":
      return `@${pathOf(block.uri)}`;
    case "resource":
      return "text" in block.resource
        ? quotedText("context", { path: pathOf(block.resource.uri) }, block.resource.text)
        : mentionOf(block.resource.uri);
    default:
      throw new CaretError("unsupported", `The agent cannot be given ${block.type} content`, {
        fix: "Send text and images.",
      });
  }
}

/** Bytes that no agent is given: where they are those of a file, it opens the file itself. */
function mentionOf(uri: string): string {
  if (uri.startsWith(FILE)) return `@${pathOf(uri)}`;
  throw new CaretError("unsupported", `The agent cannot be given ${uri}: it is neither text nor an image`, {
    fix: "Save it as a file and mention its path: the agent reads it itself.",
  });
}

/** Agents name files by their paths. Some clients encode nothing in a URI. */
function pathOf(uri: string): string {
  if (!uri.startsWith(FILE)) return uri;
  const path = uri.slice(FILE.length);
  try {
    return decodeURIComponent(path);
  } catch {
    return path; // its percent signs are the file's own
  }
}
