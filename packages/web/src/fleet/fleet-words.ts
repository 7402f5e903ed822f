import { type FleetMemberView, type FleetView, type FleetWaitView, fleetWaitWords } from "@caret/protocol";

export interface FleetMachine {
  readonly machine: string;
  /** Workers first. */
  readonly members: readonly FleetMemberView[];
}

/** The members by machine: machines by name, and of each the workers before the gateways. */
export function machinesOf(members: readonly FleetMemberView[]): readonly FleetMachine[] {
  const byName = Map.groupBy(members, ({ machine }) => machine);
  return [...byName]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([machine, own]) => ({
      machine,
      members: own.toSorted((one, other) => rank(one) - rank(other)),
    }));
}

function rank({ role }: FleetMemberView): number {
  return role === "worker" ? 0 : 1;
}

/** What a member does, and how it looks. */
export const memberStates = {
  there: { words: "Ready", tone: "good" },
  leaving: { words: "Draining", tone: "warn" },
  away: { words: "Away", tone: "bad" },
} as const;

/** `2 of 4 at work`: sessions and conversations that a worker has, and may have at once. */
export function loadWords({ atWork, capacity }: Pick<FleetMemberView, "atWork" | "capacity">): string {
  return `${atWork} of ${capacity} at work`;
}

/** `2 turns run, 1 waits; 3 workers are ready, with room for 8 more`. */
export function fleetSummary({ members, runningTurns, queuedTurns }: FleetView): string {
  const ready = members.filter(({ role, state }) => role === "worker" && state === "there");
  const room = ready.reduce((sum, { capacity, atWork }) => sum + Math.max(0, capacity - atWork), 0);
  const turns = `${runningTurns === 1 ? "1 turn runs" : `${runningTurns} turns run`}, ${queuedTurns === 1 ? "1 waits" : `${queuedTurns} wait`}`;
  if (ready.length === 0) return `${turns}; no worker is ready`;
  return `${turns}; ${ready.length === 1 ? "1 worker is" : `${ready.length} workers are`} ready, with room for ${room} more`;
}

/** What a turn waits for: `Waiting for laptop: its machine is away`. */
export function waitWords({ machine, reason }: Pick<FleetWaitView, "machine" | "reason">): string {
  const words = fleetWaitWords[reason];
  return machine === undefined || reason === "behind-a-turn" ? `Waiting: ${words}` : `Waiting for ${machine}: ${words}`;
}

/** What ends the wait, in words with commands in backticks; nothing where it ends by itself. */
export function waitFix({
  sessionId,
  machine,
  reason,
}: Pick<FleetWaitView, "sessionId" | "machine" | "reason">): string | undefined {
  if (reason === "no-worker") return "Start `caret worker` with the fleet's store on a machine with an agent.";
  if (reason !== "machine-away" || machine === undefined) return undefined;
  const start = `Start \`caret worker\` on ${machine}`;
  return sessionId === undefined ? `${start}.` : `${start}, or \`caret sessions move ${sessionId} --to MACHINE\`.`;
}

/** How many turns wait that the list does not name. */
export function unlistedWaits({ queuedTurns, waiting }: Pick<FleetView, "queuedTurns" | "waiting">): number {
  return Math.max(0, queuedTurns - waiting.length);
}
