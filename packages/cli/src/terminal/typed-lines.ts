import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import type { JobControl } from "../host/host.ts";

/** Time a terminal needs to hand over a half-typed line. */
const HAND_OVER_MS = 20;

const CTRL_C = "\x03";
const CTRL_Z = "\x1a";

export interface TypedInput extends Readable {
  /** Terminals only. */
  readonly setRawMode?: (isRaw: boolean) => unknown;
}

export interface TypedHost {
  readonly stdin: TypedInput;
  readonly jobControl?: Pick<JobControl, "interrupt" | "suspend">;
}

export interface TypedLinesOptions {
  readonly onLine: (line: string) => void;
  /** Called with a line begun before `putAside` and completed after it. */
  readonly onStale: (line: string) => void;
  readonly onClose: () => void;
}

export interface TypedLines {
  /** Discards the incomplete line. Resolves when typing counts again. */
  putAside(): Promise<void>;
  close(): void;
}

/**
 * Lines as typed or piped in. A terminal keeps a line to itself until Enter; switching to raw mode makes it hand over what it has, so the
 * rest of the line starts a new one. Keys that raw mode delivers as characters keep their usual effect.
 */
export function readTypedLines(
  { stdin: input, jobControl }: TypedHost,
  { onLine, onStale, onClose }: TypedLinesOptions,
): TypedLines {
  const decoder = new StringDecoder("utf8");
  let partial = "";
  /** The current line was begun before something it must not answer. */
  let isStale = false;
  let handover: { readonly timer: NodeJS.Timeout; readonly end: () => void; handed: string } | undefined;

  const put = (line: string): void => {
    const wasStale = isStale;
    isStale = false;
    if (wasStale) onStale(line);
    else onLine(line);
  };
  const take = (chunk: Buffer | string): void => {
    const text = typeof chunk === "string" ? chunk : decoder.write(chunk);
    // The terminal hands over what was typed before.
    if (handover !== undefined) {
      handover.handed += text;
      return;
    }
    const lines = (partial + text).split(/\r\n|\n/);
    partial = lines.pop() ?? "";
    for (const line of lines) put(line);
  };
  const end = (): void => {
    if (partial !== "") put(partial);
    partial = "";
    onClose();
  };
  const cook = (): void => {
    if (handover === undefined) return;
    const { timer, end: over, handed } = handover;
    clearTimeout(timer);
    input.setRawMode?.(false);
    handover = undefined;
    partial = "";
    over();
    if (handed.includes(CTRL_C)) jobControl?.interrupt();
    else if (handed.includes(CTRL_Z)) jobControl?.suspend();
  };

  input.on("data", take).on("end", end).on("close", end);
  return {
    async putAside() {
      if (input.setRawMode === undefined) {
        isStale ||= partial !== "";
        return;
      }
      cook();
      await new Promise<void>((resolve) => {
        // On a busy machine the time can be over before the terminal was read; reads run before `setImmediate`.
        const timer = setTimeout(() => setImmediate(() => handover?.timer === timer && cook()), HAND_OVER_MS);
        handover = { timer, end: resolve, handed: "" };
        input.setRawMode?.(true);
      });
    },
    close() {
      cook();
      input.off("data", take).off("end", end).off("close", end).pause();
    },
  };
}
