import { randomUUID } from "node:crypto";
import { mkdtemp, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { CaretError } from "@caret/protocol";
import { defineTool, type Tool } from "../tool.ts";
import { createOutputCollector, MAX_OUTPUT_BYTES, type OutputCollector } from "./output-collector.ts";
import { wholeCharacters } from "./whole-characters.ts";

const DEFAULT_LIMIT_BYTES = 32 * 1024;

/** Leaves room for the note. */
const MAX_LIMIT_BYTES = MAX_OUTPUT_BYTES - 1024;

interface OutputStoreOptions {
  /** An existing directory, in which the store creates a private one on first use. */
  readonly parentDir: string;
  readonly maxEntryBytes?: number;
  /** Beyond this the oldest outputs are dropped. */
  readonly maxTotalBytes?: number;
}

interface OutputSlice {
  readonly text: string;
  /** Byte range of the slice. */
  readonly start: number;
  readonly end: number;
  readonly totalBytes: number;
}

/**
 * Keeps outputs too long to return, so the rest can be fetched. Bounded, private (0600 files in a 0700 directory), and deleted on close. A
 * handle cannot be guessed: holding it grants access.
 */
export interface OutputStore {
  /** Collects an output while it is produced. */
  collect(): OutputCollector;
  /** The text or, if too long, its head and tail with a note on where the rest is. */
  cap(text: string): Promise<string>;
  read(handle: string, offset: number, limitBytes: number): Promise<OutputSlice>;
  /** The store's directory, for files that accompany an output in progress. */
  privateDir(): Promise<string>;
  close(): Promise<void>;
}

export function createOutputStore(options: OutputStoreOptions): OutputStore {
  const { parentDir, maxEntryBytes = 16 * 1024 * 1024, maxTotalBytes = 128 * 1024 * 1024 } = options;
  /** Sizes by handle, oldest first. */
  const entries = new Map<string, number>();
  let directory: Promise<string> | undefined;

  const privateDir = (): Promise<string> => {
    directory ??= mkdtemp(join(parentDir, "caret-outputs-"));
    return directory;
  };

  const pathOf = async (handle: string): Promise<string> => join(await privateDir(), handle);

  const forgetOldest = async (): Promise<void> => {
    let total = [...entries.values()].reduce((sum, bytes) => sum + bytes, 0);
    for (const [handle, bytes] of entries) {
      if (total <= maxTotalBytes) return;
      entries.delete(handle);
      total -= bytes;
      await rm(await pathOf(handle), { force: true });
    }
  };

  const collect = (): OutputCollector =>
    createOutputCollector({
      maxEntryBytes,
      async create() {
        const handle = randomUUID();
        return { handle, file: await open(await pathOf(handle), "wx", 0o600) };
      },
      async keep(handle, bytes) {
        entries.set(handle, bytes);
        await forgetOldest();
      },
    });

  return {
    collect,
    privateDir,
    async cap(text) {
      if (Buffer.byteLength(text) <= MAX_OUTPUT_BYTES) return text;
      const collector = collect();
      await collector.push(Buffer.from(text));
      return collector.finish();
    },
    async read(handle, offset, limitBytes) {
      const totalBytes = entries.get(handle);
      if (totalBytes === undefined)
        throw new CaretError(
          "not-found",
          "No output is stored under this handle: it is wrong, or the output was evicted",
        );
      const wanted = Math.max(0, Math.min(limitBytes, totalBytes - offset));
      const file = await open(await pathOf(handle), "r");
      try {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(wanted), 0, wanted, offset);
        const { text, start, end } = wholeCharacters(buffer.subarray(0, bytesRead), {
          isLast: offset + bytesRead >= totalBytes,
        });
        return { text, start: offset + start, end: offset + end, totalBytes };
      } finally {
        await file.close();
      }
    },
    async close() {
      entries.clear();
      if (directory !== undefined) await rm(await directory, { recursive: true, force: true });
    },
  };
}

interface ReadOutputInput {
  readonly handle: string;
  readonly offset?: number;
  readonly limit?: number;
}

export function createReadOutputTool({ outputs }: { readonly outputs: OutputStore }): Tool {
  return defineTool<ReadOutputInput>({
    name: "read_output",
    description: "Read more of an output that was cut. The note in the cut output names its handle.",
    kind: "read",
    inputSchema: {
      type: "object",
      properties: {
        handle: { type: "string" },
        offset: { type: "integer", minimum: 0, description: "Where to begin, in bytes; 0 by default." },
        limit: { type: "integer", minimum: 4, maximum: MAX_LIMIT_BYTES, description: "How many bytes at most." },
      },
      required: ["handle"],
      additionalProperties: false,
    },
    async run({ handle, offset = 0, limit = DEFAULT_LIMIT_BYTES }) {
      const { text, start, end, totalBytes } = await outputs.read(handle, offset, limit);
      const range = `[bytes ${start} to ${end} of ${totalBytes}`;
      const next = end < totalBytes ? `; continue with offset ${end}]` : "; this is the end]";
      return { output: `${text}\n${range}${next}` };
    },
  });
}
