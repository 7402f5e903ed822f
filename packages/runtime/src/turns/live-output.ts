import type { AgentEvent, AgentEventOf } from "@caret/protocol";

/** Interval between emitted events: combines a flood of small writes into a few. */
const EMIT_MS = 100;
/** Output characters that the log keeps in addition to the result. */
const MAX_EMITTED = 128 * 1024;
/** Tail kept beyond that, for the result of a command that is stopped. */
const MAX_TAIL = 16 * 1024;
const LEFT_OUT = "\n[… more output: its end comes with the result …]\n";

export interface LiveOutputOptions {
  readonly callId: string;
  readonly write: (events: readonly AgentEvent[]) => Promise<unknown>;
}

/** Output of a running command: emitted as it arrives, bounded, and available if the command is stopped. */
export interface LiveOutput {
  push(text: string): void;
  /** Returns what was not emitted yet and cancels the pending emit. Push nothing afterwards: it would be emitted. */
  end(): readonly AgentEventOf<"tool-output">[];
  /** Head of the output and, if truncated, its tail. */
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
    // A failing log stops the turn on its own.
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
