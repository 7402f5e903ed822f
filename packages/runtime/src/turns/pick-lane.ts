import { CaretError, type LaneName } from "@caret/protocol";
import type { Lane } from "../lanes/lane.ts";
import { type LaneFeature, laneFeatures } from "../lanes/lane-features.ts";
import type { SessionRecord } from "../log/event-store.ts";
import type { TurnRequest } from "./session-engine.ts";

/** The lane that was picked for a turn. */
export interface PickedLane {
  readonly lane: Lane;
  /** The reason, in words; undefined if the lane was named. */
  readonly why: string | undefined;
  /** Lanes that can take over if this one fails before it answers. */
  readonly others: readonly Lane[];
}

export interface LanePick {
  readonly lanes: readonly Lane[];
  /** Lanes that `auto` chooses from, the one for ordinary turns first. */
  readonly autoLanes: readonly LaneName[];
  readonly request: TurnRequest;
  readonly session: Pick<SessionRecord, "lane" | "upstream">;
  /** Whether the turn's processes are sandboxed. A named lane has already been checked for it. */
  readonly isSandboxed: boolean;
  /** Whether an attending person is asked about the agent's own tools rather than the gateway's. */
  readonly prefersAgentTools: boolean;
}

/** Picks the lane that the turn or its session names; otherwise the first ready lane that can do what the turn needs. */
export async function pickLane(pick: LanePick): Promise<PickedLane> {
  const { request, session, autoLanes } = pick;
  const named = request.lane === undefined || request.lane === "auto" ? session.lane : request.lane;
  if (named !== undefined || autoLanes.length === 1) {
    const lane = laneNamed(pick.lanes, named ?? autoLanes[0] ?? "cli");
    assertCan(lane, needsOf(request));
    return { lane, why: undefined, others: [] };
  }
  const candidates = autoLanes.map((name) => laneNamed(pick.lanes, name));
  const needs = [...needsOf(request), ...(pick.isSandboxed ? ["sandbox" as const] : [])];
  const able = candidates.filter((lane) => missing(lane, needs).length === 0);
  const inOrder = ordered(able, pick);
  const lane = (await firstReady(inOrder)) ?? laneNamed(pick.lanes, autoLanes[0] ?? "cli");
  assertCan(lane, needsOf(request));
  const others = inOrder.filter((other) => other !== lane && mayTakeOver(other, request));
  return { lane, why: whyOf(lane, pick), others };
}

/** Decides who runs the tools: the agent if the lane asks about the agent's own tools; otherwise the gateway, or no one is asked. */
export function ownedOn(lane: Lane, request: TurnRequest): TurnRequest {
  const { agentTools, gatewayTools, agentWorkspace, ...rest } = request;
  if (agentTools === undefined) return request;
  const asks = lane.features.includes("approvals") && agentTools.permission !== "supervised";
  if (asks || (gatewayTools === undefined && lane.features.includes("questions"))) return { ...rest, agentTools };
  return {
    ...rest,
    ...(gatewayTools === undefined ? {} : { gatewayTools }),
    ...(agentWorkspace === undefined ? {} : { agentWorkspace }),
  };
}

/** Agents with their own tools can open an image file; others need the lane to pass the image. */
function needsOf({ clientTools, gatewayTools, agentTools, images = [] }: TurnRequest): readonly LaneFeature[] {
  const isOwn = gatewayTools === undefined && clientTools === undefined;
  return [
    ...(clientTools === undefined ? [] : ["client-tools" as const]),
    ...(gatewayTools === undefined || agentTools !== undefined ? [] : ["gateway-tools" as const]),
    ...(images.length === 0 || isOwn ? [] : ["images" as const]),
  ];
}

function missing(lane: Lane, needs: readonly LaneFeature[]): readonly LaneFeature[] {
  return needs.filter((feature) => !lane.features.includes(feature));
}

function assertCan(lane: Lane, needs: readonly LaneFeature[]): void {
  const [first] = missing(lane, needs);
  if (first === undefined) return;
  throw new CaretError("unsupported", `The ${lane.name} lane cannot do what this turn needs: ${laneFeatures[first]}`, {
    fix:
      first === "images"
        ? "Choose full access for this turn, or the `acp` lane, or say in words what the image shows."
        : "Choose another lane, or `auto`.",
  });
}

/** A session stays where its chat is; an attended turn goes where the person can be asked. */
function ordered(able: readonly Lane[], { session, request, prefersAgentTools }: LanePick): readonly Lane[] {
  const wantsAsking = asksAboutAgent(request, prefersAgentTools);
  const rank = (lane: Lane): number => {
    if (session.upstream.some((attachment) => attachment.lane === lane.name)) return 0;
    return lane.features.includes("questions") === wantsAsking ? 1 : 2;
  };
  return able.toSorted((one, other) => rank(one) - rank(other));
}

function asksAboutAgent({ agentTools }: TurnRequest, prefersAgentTools: boolean): boolean {
  if (agentTools === undefined || agentTools.permission === "supervised") return false;
  return agentTools.permission === "full" || prefersAgentTools;
}

/** Asks the lanes one by one: a readiness check can start a process. */
export async function firstReady(lanes: readonly Lane[]): Promise<Lane | undefined> {
  for (const lane of lanes) if ((await lane.isReady?.()) !== false) return lane;
  return undefined;
}

/** The other lane must run the turn on the same terms: the same side has the tools, and the same people are asked. */
function mayTakeOver(lane: Lane, { agentTools }: TurnRequest): boolean {
  return agentTools === undefined || agentTools.permission === "full" || lane.features.includes("approvals");
}

function whyOf(lane: Lane, { session, request, prefersAgentTools }: LanePick): string {
  if (session.upstream.some((attachment) => attachment.lane === lane.name)) return "the session's chat is there";
  if (!asksAboutAgent(request, prefersAgentTools)) return "no person has to be asked by the agent itself";
  return lane.features.includes("questions")
    ? "the agent can ask you there"
    : "no lane is ready on which the agent can ask you";
}

export function laneNamed(lanes: readonly Lane[], name: LaneName): Lane {
  const lane = lanes.find((candidate) => candidate.name === name);
  if (lane !== undefined) return lane;
  throw new CaretError("unsupported", `The lane ${name} is not set up`, {
    fix: `Choose one of: ${lanes.map((candidate) => candidate.name).join(", ")}.`,
  });
}
