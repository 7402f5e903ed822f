import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { chatTime } from "./chat-meta.ts";

const text = z.string().min(1).optional().catch(undefined);

const noteSchema = z.object({
  createdAtMs: chatTime,
  updatedAtMs: chatTime,
  cwd: text,
  /** Newer versions only. */
  title: text,
  isSubagent: z.boolean().optional().catch(undefined),
});

export type ChatNote = Readonly<Partial<z.infer<typeof noteSchema>>>;

/** `meta.json` repeats part of the store and adds the workspace; a missing or partial one does no harm. */
export function readChatNote(directory: string): ChatNote {
  try {
    return noteSchema.parse(JSON.parse(readFileSync(join(directory, "meta.json"), "utf8")));
  } catch {
    return {}; // missing, or being written: the store has the rest
  }
}
