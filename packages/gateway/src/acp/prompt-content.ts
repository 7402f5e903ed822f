import type { ContentBlock } from "@agentclientprotocol/sdk";
import { CaretError, type PromptImage } from "@caret/protocol";
import { quotedText } from "../prompt/quoted-text.ts";

const FILE = "file://";

export interface PromptContent {
  readonly prompt: string;
  readonly images: readonly PromptImage[];
}

/** Joins a prompt's blocks into one text, in order, and collects the pictures among them. Throws for what no agent can be given. */
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

/** The same for a lane that cannot pass on pictures: a note replaces each. */
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

/** Mentions bytes that no agent is given by path: if they are a file's, the agent opens the file itself. */
function mentionOf(uri: string): string {
  if (uri.startsWith(FILE)) return `@${pathOf(uri)}`;
  throw new CaretError("unsupported", `The agent cannot be given ${uri}: it is neither text nor an image`, {
    fix: "Save it as a file and mention its path: the agent reads it itself.",
  });
}

/** Agents name files by path. Some clients leave URIs unencoded. */
function pathOf(uri: string): string {
  if (!uri.startsWith(FILE)) return uri;
  const path = uri.slice(FILE.length);
  try {
    return decodeURIComponent(path);
  } catch {
    return path; // its percent signs are the file's own
  }
}
