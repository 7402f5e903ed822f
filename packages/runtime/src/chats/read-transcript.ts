import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { workspaceSlug } from "./chat-exists.ts";
import { type ChatMessage, toChatMessage } from "./chat-message.ts";

export interface TranscriptOptions {
  /** Contains `projects/`: CURSOR_DATA_DIR if set, else the config directory. */
  readonly dataDir: string;
  readonly id: string;
  /** If omitted, every project is searched. */
  readonly workspace?: string | undefined;
}

/**
 * A chat as recorded in the CLI's transcript: what was said and which tools were called, but no tool's answer. Lines that are not messages
 * are skipped. Undefined if there is no transcript.
 */
export async function readTranscript(options: TranscriptOptions): Promise<readonly ChatMessage[] | undefined> {
  const file = await findTranscript(options);
  if (file === undefined) return undefined;
  const lines = (await readFile(file, "utf8")).split("\n");
  return lines.flatMap((line) => toMessage(line) ?? []);
}

async function findTranscript({ dataDir, id, workspace }: TranscriptOptions): Promise<string | undefined> {
  const projects = join(dataDir, "projects");
  const slugs = workspace === undefined ? await namesIn(projects) : [workspaceSlug(workspace)];
  const files = slugs.map((slug) => join(projects, slug, "agent-transcripts", id, `${id}.jsonl`));
  return files.find((file) => existsSync(file));
}

function toMessage(line: string): ChatMessage | undefined {
  try {
    const { role, message } = JSON.parse(line) ?? {};
    return toChatMessage({ role, content: message?.content });
  } catch {
    // A blank line, or the last line of a CLI that was stopped while writing.
    return undefined;
  }
}

async function namesIn(directory: string): Promise<readonly string[]> {
  return existsSync(directory) ? readdir(directory) : [];
}
