import { join } from "node:path";
import { type AgentCommandView, CaretError } from "@caret/protocol";
import { isChatId } from "../../chats/chat-exists.ts";
import { openChatStore } from "../../chats/open-chat-store.ts";
import type { AgentHost } from "../cli/agent-host.ts";
import { plannedAttempts } from "../cli/planned-attempts.ts";
import type { Lane } from "../lane.ts";
import { featuresOf } from "../lane-features.ts";
import { createAttemptRunner, unopened } from "../run-attempts.ts";
import { createAcpProcesses, type KeptProcesses } from "./acp-processes.ts";
import { openAcpAttempt } from "./open-acp-attempt.ts";

export interface AcpLaneOptions {
  readonly host: AgentHost;
  readonly keep: KeptProcesses;
}

/** The first version whose `agent acp` was seen to ask for permission. Versions begin with their date and so sort as text. */
const SEEN_IN = "2026.02.27";

/** Only a program whose version identifies it as Cursor's own is known to have the command. */
async function speaksAcp(host: AgentHost): Promise<boolean> {
  try {
    const launch = await host.resolveLaunch(host.programs.command);
    const version = await host.versions.find(launch, host.environment(await host.resolveProfile("default")));
    return version !== undefined && version >= SEEN_IN;
  } catch {
    return false; // no program, or no login for it: another lane will report what is wrong
  }
}

/** Number of workspaces whose commands are remembered. */
const MAX_WORKSPACES = 100;

export interface AcpLane extends Lane {
  /** The `/` commands last announced by an agent in this workspace. */
  announcedCommands(workspace: string): readonly AgentCommandView[];
}

/** Runs turns through `agent acp`: a process per workspace and login, in which a person can be asked. */
export function createAcpLane({ host, keep }: AcpLaneOptions): AcpLane {
  const runAttempts = createAttemptRunner(host.wallClock);
  const processes = createAcpProcesses(keep);
  const announced = new Map<string, readonly AgentCommandView[]>();
  const onCommands = (workspace: string, commands: readonly AgentCommandView[]): void => {
    announced.delete(workspace);
    announced.set(workspace, commands);
    const [oldest] = announced.keys();
    if (announced.size > MAX_WORKSPACES && oldest !== undefined) announced.delete(oldest);
  };
  const hasSession = (id: string, configDir: string): boolean => {
    if (!isChatId(id)) return false;
    try {
      using store = openChatStore(join(configDir, "acp-sessions", id, "store.db"));
      store.meta();
      return true;
    } catch {
      return false; // gone or unreadable: the agent could not load it either
    }
  };

  return {
    name: "acp",
    features: featuresOf.acp,
    isReady: () => speaksAcp(host),
    runTurn: (request, take, signal) =>
      runAttempts(
        {
          ...plannedAttempts(request, host),
          open: (attempt) =>
            openAcpAttempt({ host, processes, request, attempt, signal, onCommands }).catch((reason: unknown) =>
              unopened(reason, signal),
            ),
          acts: request.acts,
          signal,
        },
        take,
      ),
    canResume: ({ sessionId, configDir = host.chatConfigDir() }) => hasSession(sessionId, configDir),
    findSession(id) {
      const configDir = host.chatConfigDir();
      return hasSession(id, configDir) ? { lane: "acp", sessionId: id, configDir } : undefined;
    },
    // A second prompt would cancel the first: words wait and become the next turn's prompt.
    steer: () => Promise.reject(new CaretError("unsupported", "The agent hears it when this turn is over")),
    announcedCommands: (workspace) => announced.get(workspace) ?? [],
    release: (workspace) => processes.release(workspace),
    close: () => processes.close(),
  };
}
