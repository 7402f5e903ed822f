import type { SessionGrants } from "../policy/grants/session-grants.ts";
import type { PolicyMode } from "../policy/policy-mode.ts";
import type { ToolEditor } from "../tools/tool-editor.ts";
import type { GatewayToolsRequest, TurnRequest } from "../turns/session-engine.ts";
import type { ScratchDirectories } from "./scratch-directories.ts";

/** Where the agent works it finds none of the project's own rules. */
const PROJECT_RULES =
  "The project may say how to work in it: where the workspace has an AGENTS.md or rules in .cursor/rules, read them first and follow them.";

export interface AttendedToolsOptions {
  readonly scratch: Pick<ScratchDirectories, "besideWorkspace">;
  readonly session: { readonly id: string; readonly workspace: string };
  readonly permission: PolicyMode;
  readonly grants: SessionGrants;
  readonly openMore?: GatewayToolsRequest["openMore"] | undefined;
  readonly editor?: ToolEditor;
}

/**
 * A turn in which a person can be asked: by the agent about its own tools, on a lane where it asks. Elsewhere the gateway runs
 * the tools, since the CLI answers its own approvals.
 */
export function attendedTools({
  scratch,
  session: { id, workspace },
  permission,
  grants,
  openMore,
  editor,
}: AttendedToolsOptions): Required<Pick<TurnRequest, "attended" | "agentTools" | "agentWorkspace" | "gatewayTools">> {
  return {
    attended: true,
    agentTools: { permission, grants },
    agentWorkspace: scratch.besideWorkspace(id),
    gatewayTools: {
      system: PROJECT_RULES,
      realWorkspace: workspace,
      permission,
      grants,
      ...(editor === undefined ? {} : { editor }),
      ...(openMore === undefined ? {} : { openMore }),
    },
  };
}
