import { notesIn } from "./chain.ts";
import { fingerprint } from "./fingerprint.ts";
import type { Transcript, TranscriptMessage } from "./transcript.ts";

/** Enough to tell the lines of one session's prompts apart. */
const DIGEST_LENGTH = 10;
/** A prompt with more lines is told again as a whole when it changes. */
const MAX_TOLD = 2_000;

/** What a session hears besides the messages: its system prompt, where that is part of the prompt, and client notes. */
export function toldWith({ system, messages }: Transcript, tellsSystem: boolean): readonly string[] {
  const lines = tellsSystem ? linesOf(system) : [];
  const told = new Set([...lines, ...messages.flatMap(notesIn)].map(digest));
  return [...told].slice(0, MAX_TOLD);
}

/** The lines of a system prompt that a session has not been told; all of it when most of them are new. */
export function untoldSystem(system: string, told: readonly string[] | undefined): string {
  const known = new Set(told);
  const lines = linesOf(system);
  const untold = lines.filter((line) => !known.has(digest(line)));
  return untold.length * 2 > lines.length ? system.trim() : untold.join("\n");
}

/** Client notes in messages that a session has heard, which were not there when it heard them. */
export function untoldNotes(
  heard: readonly TranscriptMessage[],
  told: readonly string[] | undefined,
): readonly string[] {
  if (told === undefined) return [];
  const known = new Set(told);
  return [...new Set(heard.flatMap(notesIn))].filter((note) => !known.has(digest(note)));
}

function linesOf(text: string): readonly string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

function digest(text: string): string {
  return fingerprint([text]).slice(0, DIGEST_LENGTH);
}
