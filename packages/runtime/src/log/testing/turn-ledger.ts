import { type AgentEventOf, addUsage, costOf, type LaneName, type Usage } from "@caret/protocol";
import type {
  RunningTurn,
  RunningTurnQuery,
  SessionRecord,
  StoredEvent,
  TurnCount,
  TurnCountQuery,
  UsageByDayQuery,
  UsageOfDay,
  UsageQuery,
  UsageTotal,
} from "../event-store.ts";
import { toUsageDay } from "../session-record.ts";

interface TurnUsage {
  readonly sessionId: string;
  readonly day: string | undefined;
  readonly model: string | undefined;
  readonly lane: LaneName | undefined;
  readonly client: string | undefined;
  readonly whose: Whose;
  readonly usage: Usage;
}

type Whose = Pick<SessionRecord, "user" | "team">;

interface TurnLedger {
  record(stored: StoredEvent, copied: boolean): void;
  forget(sessionId: string): void;
  running(query: RunningTurnQuery): readonly RunningTurn[];
  totals(query: UsageQuery): readonly UsageTotal[];
  count(query: TurnCountQuery): TurnCount;
  /** Total over the session's turns; the cost is omitted unless every turn has one. */
  used(sessionId: string): Usage;
  byDay(query: UsageByDayQuery, isWanted: (sessionId: string) => boolean): readonly Omit<UsageOfDay, "title">[];
}

export function createTurnLedger(owner: string, whoseOf: (sessionId: string) => Whose): TurnLedger {
  const begun = new Map<string, { readonly sessionId: string; readonly day: string | undefined }>();
  const running = new Map<string, RunningTurn>();
  const starts = new Map<string, AgentEventOf<"turn-start">>();
  const usages = new Map<string, TurnUsage>();

  return {
    record({ sessionId, turnId, seq, at, event }, copied) {
      const key = JSON.stringify([sessionId, turnId]);
      const day = copied ? undefined : toUsageDay(at);
      if (event.type === "turn-start") {
        running.set(key, { sessionId, turnId, firstSeq: seq, startedAt: at, owner });
        starts.set(key, event);
        begun.set(key, { sessionId, day });
      }
      if (event.type === "turn-end") running.delete(key);
      if (event.type === "usage") {
        const { model, lane, client } = starts.get(key) ?? {};
        const whose = whoseOf(sessionId);
        usages.set(key, { sessionId, day, model, lane, client, whose, usage: priced(event.usage, model) });
      }
    },

    forget(sessionId) {
      for (const key of keysOf(sessionId, running)) running.delete(key);
      for (const key of keysOf(sessionId, begun)) begun.delete(key);
      for (const [key, turn] of usages)
        if (turn.sessionId === sessionId) usages.set(key, { ...turn, client: undefined });
    },

    running: ({ sessionId }) =>
      [...running.values()].filter((turn) => (sessionId ?? turn.sessionId) === turn.sessionId),

    totals({ sessionId, day, ...whose }) {
      const wanted = [...usages.values()].filter(
        (turn) => (sessionId ?? turn.sessionId) === turn.sessionId && (day ?? turn.day) === turn.day,
      );
      return totalsOf(wanted.filter((turn) => isOf(turn.whose, whose)));
    },

    count({ day, ...whose }) {
      const isWanted = (turn: { readonly sessionId: string }): boolean => isOf(whoseOf(turn.sessionId), whose);
      const started = [...begun].filter(([, turn]) => turn.day === day && isWanted(turn));
      const used = [...usages].filter(([, turn]) => turn.day === day && isOf(turn.whose, whose));
      return {
        begun: new Set([...started, ...used].map(([key]) => key)).size,
        running: [...running.values()].filter(isWanted).length,
      };
    },

    used(sessionId) {
      const turns = [...usages.values()].filter((turn) => turn.sessionId === sessionId);
      const { cost, ...counts } = turns.reduce<Usage>((sum, { usage }) => addUsage(sum, usage), {});
      const isWhole = cost !== undefined && turns.every(({ usage }) => usage.cost !== undefined);
      return isWhole ? { ...counts, cost } : counts;
    },

    byDay({ from, byClient = false, user }, isWanted) {
      const theirs = [...usages.values()].filter(({ whose }) => user === undefined || (whose.user ?? null) === user);
      const groups = Map.groupBy(theirs, ({ day, sessionId, lane, client }) =>
        JSON.stringify([day, sessionId, lane, byClient ? client : undefined]),
      );
      const rows = [...groups.values()].flatMap((turns) => {
        const [first] = turns;
        if (first?.day === undefined || first.day < from || !isWanted(first.sessionId)) return [];
        const of = rowOf({ ...first, day: first.day }, byClient);
        return totalsOf(turns).map((total) => ({ ...of, ...total }));
      });
      return rows.sort(compareRows);
    },
  };
}

function isOf({ user, team }: Whose, wanted: Whose): boolean {
  return (wanted.user ?? user) === user && (wanted.team ?? team) === team;
}

function rowOf(turn: TurnUsage & { readonly day: string }, byClient: boolean) {
  const { day, sessionId, lane, client, whose } = turn;
  return {
    day,
    sessionId,
    ...(lane === undefined ? {} : { lane }),
    ...(client === undefined || !byClient ? {} : { client }),
    ...(whose.user === undefined ? {} : { user: whose.user }),
  };
}

function compareRows(one: UsageOfDay, other: UsageOfDay): number {
  return (
    compare(other.day, one.day) ||
    compare(one.model ?? "", other.model ?? "") ||
    compare(one.sessionId, other.sessionId) ||
    compare(one.lane ?? "", other.lane ?? "") ||
    compare(one.client ?? "", other.client ?? "")
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
  return {
    ...(model === undefined ? {} : { model }),
    turns: (total?.turns ?? 0) + 1,
    unpricedTurns: (total?.unpricedTurns ?? 0) + Number(usage.cost === undefined),
    usage: addUsage(total?.usage ?? {}, usage),
  };
}

function priced(usage: Usage, model: string | undefined): Usage {
  const cost = usage.cost ?? (model === undefined ? undefined : costOf(usage, model));
  return cost === undefined ? usage : { ...usage, cost };
}

function keysOf(sessionId: string, turns: ReadonlyMap<string, { readonly sessionId: string }>): readonly string[] {
  return [...turns].filter(([, turn]) => turn.sessionId === sessionId).map(([key]) => key);
}
