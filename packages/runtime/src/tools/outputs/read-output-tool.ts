import { defineTool, type Tool } from "../tool.ts";
import { MAX_OUTPUT_BYTES } from "./max-output-bytes.ts";
import type { OutputStore } from "./output-store.ts";

const DEFAULT_LIMIT_BYTES = 32 * 1024;
/** Leaves room for the note. */
const MAX_LIMIT_BYTES = MAX_OUTPUT_BYTES - 1024;

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
      const next = end < totalBytes ? `; go on with offset ${end}]` : "; this is the end]";
      return { output: `${text}\n${range}${next}` };
    },
  });
}
