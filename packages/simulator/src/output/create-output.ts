import { toPayloadEvent } from "../payload/to-payload-event.ts";
import type { ByteWriter } from "../process/byte-writer.ts";
import type { QuirkName } from "../scenario/scenario.ts";
import { createJsonOutput, createTextOutput } from "./final-output.ts";
import { createStreamJsonOutput } from "./stream-json-output.ts";
import type { TurnOutput } from "./turn-output.ts";

export const outputFormats = ["text", "json", "stream-json"] as const;
export type OutputFormat = (typeof outputFormats)[number];

export interface OutputOptions {
  readonly format: OutputFormat;
  readonly partial: boolean;
  /** Speaks the `payload` dialect in `stream-json`. */
  readonly payload: boolean;
  readonly writer: ByteWriter;
  readonly now: () => number;
  readonly quirks: readonly QuirkName[];
}

export function createOutput({ format, partial, payload, writer, now, quirks }: OutputOptions): TurnOutput {
  switch (format) {
    case "text":
      return createTextOutput({ writer, now });
    case "json":
      return createJsonOutput({ writer, now });
    case "stream-json":
      return createStreamJsonOutput({ writer, now, partial, quirks, ...(payload ? { reshape: toPayloadEvent } : {}) });
  }
}
