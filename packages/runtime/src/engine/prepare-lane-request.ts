import type { AgentEvent } from "@caret/protocol";
import type { SessionEngineOptions } from "./create-session-engine.ts";
import type { SessionRecord, UpstreamAttachment } from "./event-store.ts";
import type { HistoryMessage, Lane, LaneRequest } from "./lane.ts";
import type { TurnRequest } from "./session-engine.ts";
import { readHistory, withTranscript } from "./session-history.ts";
import type { TurnTools } from "./turn-tools.ts";
import { withImages } from "./with-images.ts";

export interface PrepareLaneRequestOptions extends Pick<SessionEngineOptions, "store" | "defaults"> {
  readonly turnId: string;
  readonly model: string;
  readonly session: SessionRecord;
  readonly lane: Lane;
  readonly request: TurnRequest;
  readonly tools: TurnTools | undefined;
}

export interface PreparedLaneRequest {
  readonly request: LaneRequest;
  /** What is to be told before anything of the lane's. */
  readonly notices: readonly AgentEvent[];
}

/** Find out what the lane is to do: where, in which upstream session, and with what to remember if there is none. */
export async function prepareLaneRequest(options: PrepareLaneRequestOptions): Promise<PreparedLaneRequest> {
  const { turnId, model, session, lane, request, store, defaults } = options;
  const workspace = request.agentWorkspace ?? session.workspace;
  const attachment = session.upstream.find((candidate) => candidate.lane === lane.name);
  const upstream = attachment !== undefined && lane.canResume(attachment, workspace) ? attachment : undefined;
  const loadHistory = () => readHistory(store, session.id);
  const untold = upstream === undefined ? await historyToTell(options, loadHistory) : [];
  const tools = await options.tools?.offer();
  return {
    request: {
      turnId,
      prompt: withTranscript(untold, withImages(request.prompt, request.images ?? [])),
      workspace,
      model,
      mode: request.mode ?? defaults.mode,
      force: request.force ?? defaults.force,
      upstream,
      offered: tools?.offered,
      previousTurnId: await lastTurnId(options),
      loadHistory,
    },
    notices: [
      ...lostSession(lane, attachment, upstream, untold),
      ...(request.notices ?? []),
      ...(tools?.notices ?? []),
    ],
  };
}

/** What was said before, for an upstream that would remember a session but has not got this one. */
async function historyToTell(
  { lane, model, session }: PrepareLaneRequestOptions,
  loadHistory: () => Promise<readonly HistoryMessage[]>,
): Promise<readonly HistoryMessage[]> {
  if (session.lastSeq === 0 || lane.keepsSessions?.(model) === false) return [];
  return await loadHistory();
}

async function lastTurnId({ store, session }: PrepareLaneRequestOptions): Promise<string | undefined> {
  if (session.lastSeq === 0) return undefined;
  const [last] = await store.read(session.id, { afterSeq: session.lastSeq - 1, limit: 1 });
  return last?.turnId;
}

/** A session may be lost, or be in another directory because somebody else runs the tools now, or never have been there. */
function lostSession(
  lane: Lane,
  attachment: UpstreamAttachment | undefined,
  upstream: UpstreamAttachment | undefined,
  told: readonly HistoryMessage[],
): readonly AgentEvent[] {
  if (upstream !== undefined) return [];
  if (attachment !== undefined) return [toNotice(`The agent began a new chat ${CANNOT_RESUME}. ${toldWords(told)}`)];
  return told.length === 0 ? [] : [toNotice(`The ${lane.name} lane has no chat of this session. ${toldWords(told)}`)];
}

const CANNOT_RESUME = "(the permission changed to or from full access, or its earlier chat is gone)";

function toldWords(told: readonly HistoryMessage[]): string {
  return told.length === 0
    ? "It does not remember the earlier turns."
    : "It was given the transcript of the earlier turns.";
}

function toNotice(message: string): AgentEvent {
  return { type: "notice", kind: "resume-lost", message };
}
