import type { AgentEventOf, Usage } from "@caret/protocol";
import type {
  RunningTurn,
  RunningTurnQuery,
  SessionRecord,
  StoredEvent,
  UsageQuery,
  UsageTotal,
} from "../../engine/event-store.ts";
import { addUsage } from "../add-usage.ts";
import { toUsageDay } from "../usage-day.ts";

interface TurnUsage {
  readonly sessionId: string;
  readonly day: string | undefined;
  readonly model: string | undefined;
  readonly usage: Usage;
}

interface TurnLedger {
  record(session: SessionRecord, stored: StoredEvent): void;
  forget(sessionId: string): void;
  running(query: RunningTurnQuery): readonly RunningTurn[];
  totals(query: UsageQuery): readonly UsageTotal[];
}

export function createTurnLedger(owner: string): TurnLedger {
  const running = new Map<string, RunningTurn>();
  const models = new Map<string, string | undefined>();
  const usages = new Map<string, TurnUsage>();

  return {
    record(session, { sessionId, turnId, seq, at, event }) {
      const key = JSON.stringify([sessionId, turnId]);
      if (event.type === "turn-start") {
        running.set(key, { sessionId, turnId, firstSeq: seq, startedAt: at, owner });
        models.set(key, event.model);
      }
      if (event.type === "turn-end") running.delete(key);
      if (event.type === "usage") usages.set(key, toTurnUsage(session, event, at, models.get(key)));
    },

    forget(sessionId) {
      for (const [key, turn] of running) if (turn.sessionId === sessionId) running.delete(key);
    },

    running: ({ sessionId }) =>
      [...running.values()].filter((turn) => (sessionId ?? turn.sessionId) === turn.sessionId),

    totals({ sessionId, day }) {
      const wanted = [...usages.values()].filter(
        (turn) => (sessionId ?? turn.sessionId) === turn.sessionId && (day ?? turn.day) === turn.day,
      );
      const byModel = new Map<string, UsageTotal>();
      for (const turn of wanted) byModel.set(turn.model ?? "", addTurn(byModel.get(turn.model ?? ""), turn));
      return [...byModel].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, total]) => total);
    },
  };
}

function addTurn(total: UsageTotal | undefined, { model, usage }: TurnUsage): UsageTotal {
  if (total !== undefined) return { ...total, turns: total.turns + 1, usage: addUsage(total.usage, usage) };
  return model === undefined ? { turns: 1, usage } : { model, turns: 1, usage };
}

function toTurnUsage(
  { id, imported }: SessionRecord,
  { usage }: AgentEventOf<"usage">,
  at: number,
  model: string | undefined,
): TurnUsage {
  return { sessionId: id, day: imported ? undefined : toUsageDay(at), model, usage };
}
