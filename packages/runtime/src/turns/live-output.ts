import type { AgentEvent, AgentEventOf } from "@caret/protocol";

/** How often what a command prints is emitted: a flood of small writes is then a few events. */
const EMIT_MS = 100;
/** What the log keeps of it beside the result, in characters. */
const MAX_EMITTED = 128 * 1024;
/** Beyond that its end is kept, for the result of a command that is stopped. */
const MAX_TAIL = 16 * 1024;
const LEFT_OUT = "\n[… more output: its end comes with the result …]\n";

export interface LiveOutputOptions {
  readonly callId: string;
  readonly write: (events: readonly AgentEvent[]) => Promise<unknown>;
}

/** What a running command has printed: emitted while it runs, bounded, and known when the command is stopped. */
export interface LiveOutput {
  push(text: string): void;
  /** Nothing is emitted from here on. Returns what was not emitted yet. */
  end(): readonly AgentEventOf<"tool-output">[];
  /** Its beginning, and where it is longer its end, too. */
  soFar(): string;
}

export function createLiveOutput({ callId, write }: LiveOutputOptions): LiveOutput {
  let emitted = "";
  let pending = "";
  let tail = "";
  let timer: NodeJS.Timeout | undefined;

  const take = (): readonly AgentEventOf<"tool-output">[] => {
    clearTimeout(timer);
    timer = undefined;
    if (pending === "") return [];
    const text = pending;
    emitted += text;
    pending = "";
    return [{ type: "tool-output", callId, text }];
  };
  const emit = (): void => {
    // A log that cannot be written stops the turn by itself.
    write(take()).catch(() => undefined);
  };

  return {
    push(text) {
      const room = MAX_EMITTED - emitted.length - pending.length;
      if (text.length > room) {
        const isFirst = tail === "" && room >= 0;
        tail = (tail + text.slice(Math.max(0, room))).slice(-MAX_TAIL);
        if (isFirst) pending += text.slice(0, room) + LEFT_OUT;
      } else pending += text;
      if (pending !== "") timer ??= setTimeout(emit, EMIT_MS);
    },
    end: take,
    soFar: () => emitted + pending + tail,
  };
}
