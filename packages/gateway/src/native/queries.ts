import { exportFormats, type LogQuery, type SessionListQuery } from "@caret/protocol";
import { z } from "zod";

const MAX_SESSIONS = 500;
const MAX_EVENTS = 10_000;
const DEFAULT_EVENTS = 500;
const MAX_DAYS = 3650;
const DEFAULT_DAYS = 30;

const text = z.string({ error: "must be given once" });
const flag = z.enum(["true", "false"], { error: "must be true or false" }).transform((word) => word === "true");
const number = text.regex(/^\d{1,15}$/, { error: "must be a whole number" }).transform(Number);
const numberUpTo = (most: number) =>
  number.refine((value) => value >= 1 && value <= most, { error: `must be from 1 to ${most}` });

export const sessionListQuery = z.object({
  search: text.exactOptional(),
  archived: flag.exactOptional(),
  limit: numberUpTo(MAX_SESSIONS).exactOptional(),
  after: text.exactOptional(),
}) satisfies z.ZodType<SessionListQuery>;

export const logQuery = z
  .object({
    after: number.exactOptional(),
    before: number.exactOptional(),
    limit: numberUpTo(MAX_EVENTS).default(DEFAULT_EVENTS),
    raw: flag.exactOptional(),
  })
  .refine(({ after, before }) => after === undefined || before === undefined, {
    path: ["before"],
    error: "cannot be given together with `after`",
  }) satisfies z.ZodType<LogQuery>;

/** `last-event-id` is a browser's own word for where it was, so it counts before `after`. */
export const followQuery = z.object({
  after: number.default(0),
  "last-event-id": number.exactOptional(),
  raw: flag.exactOptional(),
});

export const imageParam = z.object({ name: z.string() });
export const seqParam = z.object({ seq: number });
export const exportQuery = z.object({
  format: z.enum(exportFormats, { error: `must be one of ${exportFormats.join(", ")}` }).default("ndjson"),
});
export const filesQuery = z.object({
  workspace: text.min(1, { error: "must name a directory" }),
  query: text.default(""),
});
export const modelsQuery = z.object({ refresh: flag.default(false) });
export const usageQuery = z.object({ days: numberUpTo(MAX_DAYS).default(DEFAULT_DAYS) });
