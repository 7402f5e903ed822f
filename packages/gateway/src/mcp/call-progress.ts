import { type AgentEvent, type EventEnvelope, mainArgument, oneLine } from "@caret/protocol";

/** Minimum interval: a host shows only the newest report. */
const LEAST_MS = 500;
/** Some hosts give up on a silent call. */
const SILENCE_MS = 5_000;
const MAX_MESSAGE = 200;

export interface CallProgress {
  note(events: readonly EventEnvelope[]): void;
  end(): void;
}

/** Reports a call's progress to the host: what the agent does and, during silence, that it is still working. */
export function startProgress(send: (progress: number, message: string) => void): CallProgress {
  let progress = 0;
  let message = "Waiting for the agent";
  let sentAt = Number.NEGATIVE_INFINITY;
  const report = (): void => {
    progress += 1;
    sentAt = performance.now();
    send(progress, message);
  };
  const silence = setInterval(report, SILENCE_MS);
  return {
    note(events) {
      const words = events.flatMap(({ event }) => activityOf(event)).at(-1);
      if (words === undefined) return;
      message = oneLine(words, MAX_MESSAGE);
      if (performance.now() - sentAt < LEAST_MS) return;
      silence.refresh();
      report();
    },
    end: () => clearInterval(silence),
  };
}

function activityOf(event: AgentEvent): readonly string[] {
  if (event.type === "turn-start") return ["The agent has started"];
  if (event.type === "text-start") return ["The agent writes"];
  if (event.type === "thinking-start") return ["The agent thinks"];
  if (event.type === "notice") return [event.message];
  if (event.type !== "tool-call") return [];
  const argument = mainArgument(event);
  return [argument === "" ? event.name : `${event.name}: ${argument}`];
}
