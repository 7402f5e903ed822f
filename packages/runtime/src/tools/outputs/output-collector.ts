import type { FileHandle } from "node:fs/promises";
import { TailRing } from "../../process/tail-ring.ts";
import { wholeCharacters } from "./whole-characters.ts";

/** The most one call can return, notes included. */
export const MAX_OUTPUT_BYTES = 64 * 1024;

/** Room for the note between head and tail. */
const NOTE_BYTES = 1024;
const HALF_BYTES = (MAX_OUTPUT_BYTES - NOTE_BYTES) / 2;

interface CollectorOptions {
  readonly maxEntryBytes: number;
  create(): Promise<{ readonly handle: string; readonly file: FileHandle }>;
  keep(handle: string, bytes: number): Promise<void>;
}

export interface CutOutput {
  readonly head: string;
  readonly tail: string;
  /** In bytes. */
  readonly leftOut: number;
}

/** Collects one output in pieces, with bounded memory. */
export interface OutputCollector {
  /** Call in order, awaiting each. After a rejection the collector is unusable. */
  push(bytes: Uint8Array): Promise<void>;
  /** The whole output if short, otherwise head, note and tail. Call once. */
  finish(): Promise<string>;
  /** What `finish` left out; undefined if nothing. */
  cut(): CutOutput | undefined;
}

export function createOutputCollector({ maxEntryBytes, create, keep }: CollectorOptions): OutputCollector {
  const tail = new TailRing(HALF_BYTES);
  let beginning: Uint8Array[] = [];
  let totalBytes = 0;
  let storedBytes = 0;
  let spill: { readonly handle: string; readonly file: FileHandle } | undefined;

  const store = async (bytes: Uint8Array): Promise<void> => {
    const room = bytes.subarray(0, Math.max(0, maxEntryBytes - storedBytes));
    try {
      if (room.length > 0) await spill?.file.writeFile(room);
    } catch (reason) {
      await spill?.file.close();
      throw reason;
    }
    storedBytes += room.length;
  };

  return {
    async push(bytes) {
      totalBytes += bytes.byteLength;
      tail.push(bytes);
      if (spill !== undefined) return store(bytes);
      beginning.push(bytes);
      if (totalBytes <= MAX_OUTPUT_BYTES) return;
      spill = await create();
      await store(Buffer.concat(beginning));
      beginning = [Buffer.concat(beginning).subarray(0, HALF_BYTES)];
    },
    async finish() {
      const head = Buffer.concat(beginning);
      if (spill === undefined) return head.toString("utf8");
      await spill.file.close();
      await keep(spill.handle, storedBytes);
      return `${wholeCharacters(head).text}\n${note(spill.handle, totalBytes, storedBytes)}\n${tail.text()}`;
    },
    cut() {
      if (spill === undefined) return undefined;
      const [head, end] = [wholeCharacters(Buffer.concat(beginning)).text, tail.text()];
      return { head, tail: end, leftOut: totalBytes - Buffer.byteLength(head) - Buffer.byteLength(end) };
    },
  };
}

function note(handle: string, totalBytes: number, storedBytes: number): string {
  const kept = storedBytes === totalBytes ? "all of it" : `the first ${storedBytes} bytes`;
  return (
    `[… cut: the output has ${totalBytes} bytes, and only its beginning and end are shown. ` +
    `To read ${kept}, call read_output with handle "${handle}" and an offset from ${HALF_BYTES} on. …]`
  );
}
