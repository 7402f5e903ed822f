import type { DoorMessage, DoorPart, DoorRequest } from "../door/door-request.ts";

const CHARACTERS_PER_TOKEN = 4;

/** A rule of thumb, only for formats that demand a count when upstream gave none; always marked where it is shown. */
export function estimateTokens(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

/** All the text of a request. Images are not counted: their size in tokens has nothing to do with their bytes. */
export function requestCharacters({ system, messages, tools }: DoorRequest): number {
  const offered = tools.length === 0 ? 0 : JSON.stringify(tools).length;
  return system.length + offered + messages.reduce((sum, message) => sum + messageCharacters(message), 0);
}

function messageCharacters(message: DoorMessage): number {
  if (message.role !== "assistant") return partsCharacters(message.parts);
  return message.text.length + (message.calls.length === 0 ? 0 : JSON.stringify(message.calls).length);
}

function partsCharacters(parts: readonly DoorPart[]): number {
  return parts.reduce((sum, part) => sum + (part.kind === "text" ? part.text.length : 0), 0);
}
