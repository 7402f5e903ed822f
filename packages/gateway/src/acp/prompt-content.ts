import type { ContentBlock } from "@agentclientprotocol/sdk";
import { CaretError, type PromptImage } from "@caret/protocol";
import { quotedText } from "../quoted-text.ts";

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
  const { mimeType, blob, uri } = block.resource;
  if (mimeType?.startsWith("image/") === true) return { mediaType: mimeType, base64: blob };
  throw new CaretError("unsupported", `The agent cannot be given ${uri}: it is neither text nor an image`, {
    fix: "Mention the file by its path: the agent reads it itself.",
  });
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
        : "";
    default:
      throw new CaretError("unsupported", `The agent cannot be given ${block.type} content`, {
        fix: "Send text and images.",
      });
  }
}

/** Agents name files by their paths. */
function pathOf(uri: string): string {
  return uri.startsWith("file://") ? decodeURIComponent(uri.slice("file://".length)) : uri;
}
