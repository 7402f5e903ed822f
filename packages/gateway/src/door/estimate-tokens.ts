import type { DoorMessage, DoorPart, DoorRequest } from "./door-request.ts";

const CHARACTERS_PER_TOKEN = 4;

/** What an image of ordinary size costs with the models behind Cursor. */
const TOKENS_PER_IMAGE = 1600;

/** A count by rule of thumb. Whoever sends it to a client marks it as an estimate. */
export function tokensOf(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

/** How long a text of so many tokens is, by the same rule. */
export function charactersWithin(tokens: number): number {
  return tokens * CHARACTERS_PER_TOKEN;
}

/** Everything a request brings: the system's text, the transcript, the tools with their schemas. */
export function estimateRequestTokens({ system, messages, tools }: DoorRequest): number {
  const transcript = messages.map(messageWeight);
  const offered = tools.map((tool) => ({ characters: JSON.stringify(tool).length, images: 0 }));
  const weights = [{ characters: system.length, images: 0 }, ...transcript, ...offered];
  const characters = weights.reduce((sum, weight) => sum + weight.characters, 0);
  const images = weights.reduce((sum, weight) => sum + weight.images, 0);
  return tokensOf(characters) + images * TOKENS_PER_IMAGE;
}

interface Weight {
  readonly characters: number;
  readonly images: number;
}

function messageWeight(message: DoorMessage): Weight {
  if (message.role !== "assistant") return partsWeight(message.parts);
  const calls = message.calls.reduce((sum, { name, input }) => sum + name.length + jsonLength(input), 0);
  return { characters: message.text.length + calls, images: 0 };
}

function partsWeight(parts: readonly DoorPart[]): Weight {
  const characters = parts.reduce((sum, part) => sum + (part.kind === "text" ? part.text.length : 0), 0);
  return { characters, images: parts.filter(({ kind }) => kind === "image").length };
}

function jsonLength(value: unknown): number {
  return (JSON.stringify(value) ?? "").length;
}
