import type { AgentEvent, LaneName, TakeBatch, Tracer, TraceSpan, TurnOutcome } from "@caret/protocol";
import type { EventStore } from "../log/event-store.ts";

export interface TurnTraceOptions {
  readonly tracer: Tracer;
  /** Trace context of the request behind the turn. */
  readonly parent: string | undefined;
  readonly sessionId: string;
  readonly turnId: string;
  readonly lane: LaneName;
  readonly model: string;
}

interface TracedEntry {
  readonly event: AgentEvent;
}

/** The spans of one turn: the turn itself and each lane it was tried on. Appends and events are only counted in them. */
export interface TurnTrace {
  /** This lane runs the turn from now on, replacing the previous one. */
  enterLane(lane: LaneName): void;
  /** Watches for the first word, and for retries with another profile or model. */
  watchEntries<Entry extends TracedEntry>(take: TakeBatch<readonly Entry[]>): TakeBatch<readonly Entry[]>;
  /** Counts appends and the time until each was durable. */
  watchAppends(store: Pick<EventStore, "append">): Pick<EventStore, "append">;
  end(outcome: TurnOutcome): void;
}

export function createTurnTrace({ tracer, parent, ...about }: TurnTraceOptions): TurnTrace {
  const turn = tracer.start("turn", {
    parent,
    attributes: {
      "caret.session.id": about.sessionId,
      "caret.turn.id": about.turnId,
      "caret.lane": about.lane,
      "caret.model": about.model,
    },
  });
  const appends = { count: 0, ms: 0 };
  let attempt: TraceSpan | undefined;
  let hasSpoken = false;

  const noteEntries = (entries: readonly TracedEntry[]): void => {
    for (const { event } of entries) {
      if (event.type === "notice") attempt?.event("notice", { "caret.notice": event.kind });
      if (hasSpoken || (event.type !== "text-delta" && event.type !== "thinking-delta")) continue;
      hasSpoken = true;
      turn.event("first token");
    }
  };

  return {
    enterLane(lane) {
      attempt?.end({ isFailed: true });
      attempt = tracer.start("lane attempt", { parent: turn.traceparent, attributes: { "caret.lane": lane } });
    },
    watchEntries: (take) =>
      Object.assign(
        (entries: Parameters<typeof take>[0]) => {
          noteEntries(entries);
          return take(entries);
        },
        // A batch before it already contained the first word.
        { more: take.more },
      ),
    watchAppends: (store) => ({
      append(...given) {
        const since = performance.now();
        const appended = store.append(...given);
        const note = (): void => {
          appends.count += 1;
          appends.ms += performance.now() - since;
        };
        // The writer handles its failure; it got the same promise.
        appended.then(note, note);
        return appended;
      },
    }),
    end(outcome) {
      const isFailed = outcome.kind === "failed";
      const ended = {
        "caret.outcome": outcome.kind,
        ...(outcome.kind === "failed" ? { "caret.error.code": outcome.error.code } : {}),
      };
      attempt?.set(ended);
      attempt?.end({ isFailed });
      turn.set({ ...ended, "caret.log.appends": appends.count, "caret.log.append_ms": Math.round(appends.ms) });
      turn.end({ isFailed });
    },
  };
}
