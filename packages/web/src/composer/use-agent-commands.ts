import type { AgentCommandView, LaneName } from "@caret/protocol";
import { useEffect, useMemo, useState } from "react";
import { useAbout, useApi } from "../data/page-hooks.ts";
import type { PromptCommand } from "./prompt-commands.ts";

const none: readonly AgentCommandView[] = [];

const places = { workspace: "of this workspace", user: "your own", agent: "the agent's" } as const;

interface AgentCommandsOptions {
  readonly workspace: string | undefined;
  readonly lane: LaneName | undefined;
  /** A person types a command. Each time they are read again: an agent announces its own while a turn runs. */
  readonly isWanted: boolean;
}

/** The agent's own `/` commands: files of the workspace and the user, and what the agent has announced. */
export function useAgentCommands({ workspace, lane, isWanted }: AgentCommandsOptions): readonly PromptCommand[] {
  const api = useApi();
  const usual = useAbout()?.defaultLane;
  const [found, setFound] = useState(none);
  useEffect(() => {
    if (!isWanted || workspace === undefined) return;
    const asking = new AbortController();
    const { signal } = asking;
    const wanted = lane ?? usual;
    api.agentCommands(workspace, { signal, ...(wanted !== undefined && { lane: wanted }) }).then(
      setFound,
      // Without them a command can still be typed: the agent is sent what is typed.
      () => signal.aborted || setFound(none),
    );
    return () => asking.abort();
  }, [api, workspace, lane, usual, isWanted]);
  return useMemo(() => found.map(toPromptCommand), [found]);
}

function toPromptCommand({ name, source, description, text }: AgentCommandView): PromptCommand {
  const hint = description === "" ? places[source] : `${description} (${places[source]})`;
  return { name, hint, ...(text !== undefined && { text }) };
}
