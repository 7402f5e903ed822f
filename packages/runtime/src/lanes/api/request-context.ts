import { create } from "@bufbuild/protobuf";
import { type RequestContext, RequestContextSchema } from "@caret/protocol/agent-api/request-context";
import type { LaneRequest } from "../lane.ts";
import { OWN_SERVER, type TurnOffer } from "./turn-offer.ts";

/** What upstream may know about this machine. */
export interface MachineFacts {
  /** For example `linux 6.8.0`. */
  readonly os: string;
  readonly shell: string;
  readonly timeZone: string;
}

/** What upstream asks for before a turn: where the agent works, by which rules and with which tools. */
export function requestContextOf(
  request: Pick<LaneRequest, "workspace" | "offered">,
  offer: TurnOffer | undefined,
  { os, shell, timeZone }: MachineFacts,
): RequestContext {
  const workspace = request.offered?.realWorkspace ?? request.workspace;
  const instructions = offer?.instructions() ?? "";
  return create(RequestContextSchema, {
    env: {
      osVersion: os,
      workspacePaths: [workspace],
      shell,
      timeZone,
      projectFolder: workspace,
      processWorkingDirectory: workspace,
    },
    tools: [...(offer?.definitions() ?? [])],
    ...(offer === undefined || offer.rule === "" ? {} : { cloudRule: offer.rule }),
    ...(instructions === ""
      ? {}
      : { mcpInstructions: [{ serverName: OWN_SERVER, serverIdentifier: OWN_SERVER, instructions }] }),
    rulesInfoComplete: true,
    envInfoComplete: true,
    mcpInfoComplete: true,
  });
}
