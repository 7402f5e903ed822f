import type { Agents, Comparisons, ComparisonView, Sessions } from "@caret/protocol";
import type { RuntimeSessions } from "@caret/runtime";
import type { FleetSeat } from "../seat/fleet-seat.ts";
import type { PlacedImport } from "../wire/placed-import.ts";
import { type AgentCommand, agentCommands as agentMethods, type ComparisonCommand } from "../wire/worker-commands.ts";
import type { ComparisonHolds } from "./comparison-holds.ts";
import type { ComparisonPublisher } from "./publish-comparisons.ts";
import type { CommandHandlers } from "./run-commands.ts";
import type { RemoteShare } from "./run-conversation-turn.ts";

export interface CommandHandlersOptions {
  readonly seat: Pick<FleetSeat, "machine">;
  readonly sessions: Pick<RuntimeSessions, keyof Sessions | "placeImported">;
  readonly agents: Agents;
  readonly comparisons: Comparisons;
  readonly publisher: Pick<ComparisonPublisher, "published">;
}

/** What gateways hold on this worker. */
export interface RemoteParts {
  readonly shares: ReadonlyMap<string, RemoteShare>;
  readonly holds: ComparisonHolds;
}

/** The commands that gateways may send to this worker. */
export function commandHandlers(
  { seat, sessions, agents, ...more }: CommandHandlersOptions,
  { shares, holds }: RemoteParts,
): CommandHandlers {
  const { cancelTurn, steerTurn, answerQuestion, answerApproval, listGrants, revokeGrant } = sessions;
  const { changes, sessionChanges, discardHunk, commitChanges, findFiles, findSymbols, agentCommands } = sessions;
  return {
    ...{ cancelTurn, steerTurn, answerQuestion, answerApproval, listGrants, revokeGrant },
    ...{ changes, sessionChanges, discardHunk, commitChanges, findFiles, findSymbols, agentCommands },
    ...agentHandlers(agents),
    ...comparisonHandlers(more, holds),
    create: sessions.create,
    delete: sessions.delete,
    placeImported: async (...asked: Parameters<RuntimeSessions["placeImported"]>): Promise<PlacedImport> => ({
      workspace: await sessions.placeImported(...asked),
      machine: seat.machine,
    }),
    async readImage(...asked: Parameters<Sessions["readImage"]>) {
      const { mediaType, bytes } = await sessions.readImage(...asked);
      return { mediaType, base64: Buffer.from(bytes).toString("base64") };
    },
    async leaveShare(id: string, how: "answered" | "gone") {
      shares.get(id)?.leave(how);
    },
    async cutShare(id: string, reason: string) {
      shares.get(id)?.cut(reason);
    },
    async stopShare(id: string, reason: string) {
      shares.get(id)?.stop(reason);
    },
  };
}

function agentHandlers(agents: Agents): Record<AgentCommand, CommandHandlers[string]> {
  const entries = agentMethods.map((method) => [`agents.${method}`, agents[method]]);
  return Object.fromEntries(entries) as Record<AgentCommand, CommandHandlers[string]>;
}

/** Handlers that change a comparison answer once gateways can read the result. */
function comparisonHandlers(
  { comparisons, publisher }: Pick<CommandHandlersOptions, "comparisons" | "publisher">,
  { hold, letGo }: ComparisonHolds,
): Record<ComparisonCommand, CommandHandlers[string]> {
  const shown =
    <Args extends unknown[]>(work: (...args: Args) => Promise<ComparisonView>) =>
    async (...args: Args): Promise<ComparisonView> => {
      const view = await work(...args);
      await publisher.published(view.id);
      return view;
    };
  return {
    "comparisons.start": shown(comparisons.start),
    "comparisons.pick": shown(comparisons.pick),
    "comparisons.drop": shown(comparisons.drop),
    "comparisons.hold": hold,
    "comparisons.letGo": letGo,
  };
}
