import type { LaneName } from "@caret/protocol";
import { chatExists } from "../../chats/chat-exists.ts";
import type { UpstreamAttachment } from "../../log/event-store.ts";
import type { Attempt } from "../../profiles/rotation.ts";
import type { Lane, TakeEntries } from "../lane.ts";
import { featuresOf } from "../lane-features.ts";
import { createAttemptRunner, type OpenedAttempt, unopened } from "../run-attempts.ts";
import { cliFeatures } from "./agent-arguments.ts";
import type { AgentHost } from "./agent-host.ts";
import { createChat } from "./create-chat.ts";
import { endAfter } from "./end-after.ts";
import { openAttempt } from "./open-attempt.ts";
import { plannedAttempts, programOf } from "./planned-attempts.ts";
import { readAgent } from "./read-agent.ts";
import type { TurnAttempt } from "./start-agent.ts";

export interface CliLaneOptions {
  readonly name: Extract<LaneName, "cli" | "sim">;
  readonly host: AgentHost;
}

/** The system's limit for arguments may be lower than ours: standard input has none. */
const TOO_LONG = "prompt-too-long";

/** Runs turns through a CLI: the official one, or a user's program that speaks the contract. */
export function createCliLane({ name, host }: CliLaneOptions): Lane {
  const runAttempts = createAttemptRunner(host.wallClock);
  return {
    name,
    features: featuresOf[name],
    runTurn: (request, take, signal) => {
      const open = (attempt: Attempt, viaStdin: boolean): Promise<OpenedAttempt> =>
        openedAttempt({ host, lane: name, request, attempt, viaStdin, signal });
      return runAttempts({ ...plannedAttempts(request, host), open, acts: request.acts, signal }, take);
    },
    canResume: ({ sessionId: id, configDir = host.chatConfigDir(), isReserved }, workspace) =>
      isReserved === true || chatExists({ configDir, workspace, id }),
    keepsSessions: (model) => programOf(model, host).style === "official",
    findSession(id, workspace) {
      const configDir = host.chatConfigDir();
      return chatExists({ configDir, workspace, id }) ? { lane: name, sessionId: id, configDir } : undefined;
    },
    async createSession(workspace, signal): Promise<UpstreamAttachment | undefined> {
      const attachment = { lane: name, configDir: host.chatConfigDir() };
      const launch = await host.resolveLaunch(host.programs.command);
      // If the CLI accepts an id as an option, the first turn creates the chat itself: no process has to be started for it now.
      if (cliFeatures(host.versions.known(launch)).newSessionId)
        return { ...attachment, sessionId: host.newId(), isReserved: true };
      const id = await createChat({ host, workspace, signal });
      return id === undefined ? undefined : { ...attachment, sessionId: id };
    },
    release: async (workspace) => host.warm?.release(workspace),
    close: () => host.close(),
  };
}

async function openedAttempt(turn: TurnAttempt): Promise<OpenedAttempt> {
  try {
    const { run, sandbox, asArgument } = await openAttempt(turn);
    const read = (take: TakeEntries): Promise<void> => readAgent(run, take);
    return {
      run: sandbox === undefined ? read : (take) => endAfter(take, sandbox.close, read),
      otherWayAfter: asArgument ? TOO_LONG : undefined,
    };
  } catch (reason) {
    return unopened(reason, turn.signal);
  }
}
