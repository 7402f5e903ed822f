import { CaretError, laneNames } from "@caret/protocol";
import { z } from "zod";
import { createLineSplitter } from "../../decode/framing/line-splitter.ts";

/**
 * A session as a file: NDJSON. The first line is the header, followed by one line per event; the last line says how many there were, so a
 * truncated file is not mistaken for a complete one.
 */
export const FORMAT = "caret-session";
export const VERSION = 1;

/** The latest time that a `Date` can represent: showing a later one fails. */
const LAST_MOMENT = 8_640_000_000_000_000;
const moment = z.number().int().nonnegative().max(LAST_MOMENT);

/** Upstream's part of the session is omitted: it means nothing on another machine. */
const sessionSchema = z.object({
  workspace: z.string(),
  title: z.string().exactOptional(),
  lane: z.enum(laneNames).exactOptional(),
  model: z.string().exactOptional(),
  createdAt: moment,
});

export const headerSchema = z.object({
  format: z.literal(FORMAT),
  version: z.number().int(),
  session: sessionSchema,
});

export const eventLineSchema = z.object({
  seq: z.number().int().positive(),
  turnId: z.string(),
  at: moment,
  event: z.unknown(),
  raw: z.string().exactOptional(),
  rawCut: z.literal(true).exactOptional(),
});

export const endSchema = z.object({ end: z.literal(true), events: z.number().int().nonnegative() });

export type SessionHeader = z.infer<typeof headerSchema>;
export type EventLine = z.infer<typeof eventLineSchema>;
export type EndLine = z.infer<typeof endSchema>;

/** The lines of a file as it arrives. Empty lines, which an editor may have left, are skipped. */
export async function* splitLines(
  chunks: AsyncIterable<Uint8Array | string>,
  { maxLineBytes }: { readonly maxLineBytes: number },
): AsyncGenerator<string, void, undefined> {
  const splitter = createLineSplitter({ maxLineBytes });
  for await (const chunk of chunks) {
    const { lines, failure } = splitter.push(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
    yield* lines;
    if (failure !== undefined)
      throw new CaretError("too-large", `A line of the session file is longer than ${maxLineBytes} bytes`, {
        cause: failure,
        fix: "Check that this is a session that Caret exported.",
      });
  }
  yield* splitter.end().lines;
}
