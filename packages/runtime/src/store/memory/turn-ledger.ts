import type { Usage } from "@caret/protocol";
import type {
  RunningTurn,
  RunningTurnQuery,
  StoredEvent,
  UsageOfDay,
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
  record(stored: StoredEvent, copied: boolean): void;
  forget(sessionId: string): void;
  running(query: RunningTurnQuery): readonly RunningTurn[];
  totals(query: UsageQuery): readonly UsageTotal[];
  byDay(from: string, isWanted: (sessionId: string) => boolean): readonly UsageOfDay[];
}

export function createTurnLedger(owner: string): TurnLedger {
  const running = new Map<string, RunningTurn>();
  const models = new Map<string, string | undefined>();
  const usages = new Map<string, TurnUsage>();

  return {
    record({ sessionId, turnId, seq, at, event }, copied) {
      const key = JSON.stringify([sessionId, turnId]);
      if (event.type === "turn-start") {
        running.set(key, { sessionId, turnId, firstSeq: seq, startedAt: at, owner });
        models.set(key, event.model);
      }
      if (event.type === "turn-end") running.delete(key);
      if (event.type === "usage") {
        const day = copied ? undefined : toUsageDay(at);
        usages.set(key, { sessionId, day, model: models.get(key), usage: event.usage });
      }
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
      return totalsOf(wanted);
    },

    byDay(from, isWanted) {
      const groups = Map.groupBy(usages.values(), ({ day, sessionId }) => JSON.stringify([day, sessionId]));
      const rows = [...groups.values()].flatMap((turns) => {
        const [{ day, sessionId } = {}] = turns;
        if (day === undefined || sessionId === undefined || day < from || !isWanted(sessionId)) return [];
        return totalsOf(turns).map((total) => ({ day, sessionId, ...total }));
      });
      return rows.sort(compareRows);
    },
  };
}

function compareRows(one: UsageOfDay, other: UsageOfDay): number {
  return (
    compare(other.day, one.day) ||
    compare(one.model ?? "", other.model ?? "") ||
    compare(one.sessionId, other.sessionId)
  );
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

function totalsOf(turns: readonly TurnUsage[]): readonly UsageTotal[] {
  const byModel = new Map<string, UsageTotal>();
  for (const turn of turns) byModel.set(turn.model ?? "", addTurn(byModel.get(turn.model ?? ""), turn));
  return [...byModel].sort(([one], [other]) => compare(one, other)).map(([, total]) => total);
}

function addTurn(total: UsageTotal | undefined, { model, usage }: TurnUsage): UsageTotal {
  if (total !== undefined) return { ...total, turns: total.turns + 1, usage: addUsage(total.usage, usage) };
  return model === undefined ? { turns: 1, usage } : { model, turns: 1, usage };
}
