import { join } from "node:path";
import { type Chat, openChat } from "../chat/chat-store.ts";
import type { Simulation } from "../config/simulation.ts";
import type { McpHub } from "../mcp/mcp-hub.ts";
import type { ConfiguredServer } from "../mcp/mcp-servers.ts";
import type { AcpModel } from "./acp-models.ts";

export const acpModes = ["agent", "plan", "ask"] as const;
export type AcpMode = (typeof acpModes)[number];

/** What is chosen for a session, or for all sessions of the process. */
export interface ModelChoice {
  current: AcpModel;
}

/** A turn that runs. */
export interface LiveTurn {
  /** Ends the turn with this stop reason, whatever it is doing. */
  readonly end: (stopReason: string) => void;
  readonly ended: Promise<void>;
}

/** One session of the process. */
export interface AcpSession {
  readonly id: string;
  readonly cwd: string;
  readonly choice: ModelChoice;
  readonly servers: readonly ConfiguredServer[];
  mode: AcpMode;
  /** Connected by the first turn, and kept. */
  hub?: Promise<McpHub>;
  live?: LiveTurn;
  /** What the person said is always allowed. */
  readonly allowed: Set<string>;
}

/** This mode keeps its chats apart from those of print mode. */
export function acpChatsDir(configDir: string): string {
  return join(configDir, "acp-sessions");
}

export function openAcpChat({ configDir, host }: Simulation, session: AcpSession): Chat {
  return openChat({
    chatsDir: acpChatsDir(configDir),
    sessionId: session.id,
    workspace: session.cwd,
    mode: session.mode === "agent" ? "default" : session.mode,
    modelId: session.choice.current.model.id,
    now: host.now,
  });
}

/** What `session/new` and `session/load` say about a session. */
export function describeSession(session: AcpSession, models: readonly AcpModel[]): Readonly<Record<string, unknown>> {
  const { modelId } = session.choice.current;
  return {
    modes: { currentModeId: session.mode, availableModes: acpModes.map((id) => ({ id, name: capitalise(id) })) },
    models: {
      currentModelId: modelId,
      availableModels: models.map((model) => ({ modelId: model.modelId, name: model.name })),
    },
    configOptions: configOptions(session, models),
  };
}

export function configOptions(session: AcpSession, models: readonly AcpModel[]): readonly object[] {
  const modes = acpModes.map((value) => ({ value, name: capitalise(value) }));
  const offered = models.map(({ modelId: value, name }) => ({ value, name }));
  const select = (id: string, name: string, currentValue: string, options: readonly object[]) => ({
    id,
    name,
    description: name,
    category: id,
    type: "select",
    currentValue,
    options,
  });
  return [
    select("mode", "Mode", session.mode, modes),
    select("model", "Model", session.choice.current.modelId, offered),
  ];
}

function capitalise(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
