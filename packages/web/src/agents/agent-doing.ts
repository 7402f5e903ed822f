import { type AgentView, formatCost, formatTokens, promptTokens, type SessionStatus } from "@caret/protocol";

/** What an agent is doing, and what it waits for, in words. Since when, `Duration` says. */
export function doingWords({ doing, lastOutcome }: Pick<AgentView, "doing" | "lastOutcome">): string {
  switch (doing.kind) {
    case "running":
      return doing.elsewhere === true ? "Working in a terminal" : "Working";
    case "waiting":
      return `Waiting for ${waits[doing.waitsFor]}: ${doing.about}`;
    case "queued":
      return doing.problem === undefined ? "Waiting for a place" : `Cannot start: ${doing.problem}`;
    case "suspended":
      return doing.why === undefined ? "Suspended" : `Suspended: ${doing.why}`;
    default:
      return lastOutcome === "failed" ? "Idle; its last turn failed" : "Idle";
  }
}

const waits = {
  approval: "your approval",
  question: "your answer",
  client: "the client",
  machine: "its machine",
} as const;

/** The status whose dot shows what an agent is doing. */
export function dotOf({
  doing,
  lastOutcome,
  createdAt,
}: Pick<AgentView, "doing" | "lastOutcome" | "createdAt">): SessionStatus {
  if (doing.kind === "running" || doing.kind === "waiting") return doing;
  if (doing.kind === "queued")
    return { kind: "waiting", turnId: "", since: doing.since, waitsFor: "client", about: "" };
  const isFailed = lastOutcome === "failed" || (doing.kind === "suspended" && doing.why !== undefined);
  return isFailed ? { kind: "ended", turnId: "", at: createdAt, outcome: "failed" } : { kind: "idle" };
}

/** Those that need a person first, then those at work, then the others; each by name. */
export function inOrder(agents: readonly AgentView[]): readonly AgentView[] {
  return agents.toSorted((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1));
}

function rank({ doing, toHuman }: Pick<AgentView, "doing" | "toHuman">): number {
  if (doing.kind === "waiting" || toHuman.length > 0 || (doing.kind === "suspended" && doing.why !== undefined))
    return 0;
  return doing.kind === "running" ? 1 : 2;
}

/** Never a zero for what nobody reported. */
export function costWords({ usage }: Pick<AgentView, "usage">): string | undefined {
  if (usage === undefined) return undefined;
  if (usage.cost !== undefined) return formatCost(usage.cost);
  return `${formatTokens(promptTokens(usage) + (usage.output ?? 0))} tokens`;
}
