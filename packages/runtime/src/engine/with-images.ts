import type { AttachedImage } from "./session-engine.ts";

/** What the agent is told: the prompt with the way to its images, clearly marked as not of the user's own words. */
export function withImages(prompt: string, images: readonly AttachedImage[]): string {
  if (images.length === 0) return prompt;
  const list = images.map(({ path, mediaType }) => `- ${path} (${mediaType})`).join("\n");
  return `${prompt}\n\n<attached_images>\nThe user attached these images to the message. They are files:\n${list}\n</attached_images>`;
}
