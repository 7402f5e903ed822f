import { type AgentEvent, type AgentEventOf, answerParts, TurnFold } from "@caret/protocol";
import type { AttachedImage, HistoryMessage, Lane, LaneRequest } from "../lanes/lane.ts";
import type { EventStore, SessionRecord, UpstreamAttachment } from "../log/event-store.ts";
import type { TurnActs } from "../log/turn-acts.ts";
import type { RequestedSandbox } from "../sandbox/sandboxes.ts";
import type { SessionEngineOptions } from "./create-session-engine.ts";
import { drawMark, markedLines, markRule, passableText } from "./prompt-marks.ts";
import type { TurnRequest } from "./session-engine.ts";
import type { TurnTools } from "./tools/turn-tools.ts";
import { guardRefusals, type LoopWatch } from "./tools/watch-loops.ts";

const PAGE = 1_000;

/** Limit for the transcript sent to an upstream that lost the session; prompts are bounded, so the newest part is kept. */
const MAX_TRANSCRIPT_CHARACTERS = 100_000;

interface PrepareLaneRequestOptions extends Pick<SessionEngineOptions, "store" | "defaults"> {
  readonly turnId: string;
  readonly model: string;
  readonly session: SessionRecord;
  readonly lane: Lane;
  readonly request: TurnRequest;
  readonly sandbox: RequestedSandbox | undefined;
  readonly tools: TurnTools | undefined;
  readonly loops: LoopWatch;
  readonly acts: TurnActs;
}

interface PreparedLaneRequest {
  readonly request: LaneRequest;
  /** Events to emit before any of the lane's. */
  readonly notices: readonly AgentEvent[];
}

/** Builds the lane's request: the directory, the upstream session and, if that is missing, the history to send. */
export async function prepareLaneRequest(options: PrepareLaneRequestOptions): Promise<PreparedLaneRequest> {
  const { turnId, model, session, lane, request, store, defaults } = options;
  const workspace = request.agentWorkspace ?? session.workspace;
  const attachment = session.upstream.find((candidate) => candidate.lane === lane.name);
  const upstream = attachment !== undefined && (await lane.canResume(attachment, workspace)) ? attachment : undefined;
  const loadHistory = () => readHistory(store, session.id);
  const unsent = upstream === undefined ? await historyToSend(options, loadHistory) : [];
  const tools = await options.tools?.offer();
  const images = request.images ?? [];
  return {
    request: {
      turnId,
      prompt: withTranscript(unsent, withImages(request.prompt, lane.features.includes("images") ? [] : images)),
      images,
      workspace,
      model,
      mode: request.mode ?? defaults.mode,
      force: request.force ?? defaults.force,
      sandbox: options.sandbox,
      upstream,
      offered: tools?.offered,
      answerRefused: guardRefusals(options.loops),
      registration: request.registration,
      people: tools?.people,
      previousTurnId: await lastTurnId(options),
      loadHistory,
      acts: options.acts,
      ...(request.isAside === undefined ? {} : { isAside: request.isAside }),
    },
    notices: [
      ...lostSession(lane, attachment, upstream, unsent),
      ...(request.notices ?? []),
      ...(tools?.notices ?? []),
      ...unregistered(lane, request),
    ],
  };
}

/** The history for an upstream that normally remembers sessions but does not have this one. */
async function historyToSend(
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

/** The chat may be lost, be in another directory because another side now runs the tools, or never have been on this lane. */
function lostSession(
  lane: Lane,
  attachment: UpstreamAttachment | undefined,
  upstream: UpstreamAttachment | undefined,
  sent: readonly HistoryMessage[],
): readonly AgentEvent[] {
  if (upstream !== undefined) return [];
  if (attachment !== undefined) return [toNotice(`The agent began a new chat ${CANNOT_RESUME}. ${sentWords(sent)}`)];
  return sent.length === 0 ? [] : [toNotice(`The ${lane.name} lane has no chat of this session. ${sentWords(sent)}`)];
}

/** A lane whose agents have no tools of their own cannot register an MCP server. */
function unregistered({ name, features }: Lane, { registration }: TurnRequest): readonly AgentEvent[] {
  if (registration === undefined || features.includes("agent-tools")) return [];
  const message = `Agents of the ${name} lane with full access have no tools to talk to other agents. Choose another permission to use them`;
  return [{ type: "notice", kind: "not-obeyed", message }];
}

const CANNOT_RESUME = "(the permission changed to or from full access, or its earlier chat is gone)";

function sentWords(sent: readonly HistoryMessage[]): string {
  return sent.length === 0
    ? "It does not remember the earlier turns."
    : "It was given the transcript of the earlier turns.";
}

function toNotice(message: string): AgentEvent {
  return { type: "notice", kind: "resume-lost", message };
}

/** The prompt with the paths of its images, clearly marked as not the user's own words. */
function withImages(prompt: string, images: readonly AttachedImage[]): string {
  if (images.length === 0) return prompt;
  const list = images.map(({ path, mediaType }) => `- ${path} (${mediaType})`).join("\n");
  return `${prompt}\n\n<attached_images>\nThe user attached these images to the message. They are files:\n${list}\n</attached_images>`;
}

/** Prompts and answers of a session, oldest first, without turns that said nothing. */
export async function readHistory(store: EventStore, sessionId: string): Promise<readonly HistoryMessage[]> {
  const messages: HistoryMessage[] = [];
  let prompt: string | undefined;
  let fold = new TurnFold();
  let seq = 0;
  for (;;) {
    const page = await store.read(sessionId, { afterSeq: seq, limit: PAGE });
    for (const { event } of page) {
      if (event.type === "turn-start") {
        prompt = askedIn(event);
        fold = new TurnFold();
      }
      fold.add(event);
      if (event.type === "turn-end") messages.push(...exchange(prompt, answerParts(fold.turn)));
    }
    seq = page.at(-1)?.seq ?? seq;
    if (page.length < PAGE) return messages;
  }
}

/** Only their number: the images belong to that turn. */
function askedIn({ prompt, images = [] }: AgentEventOf<"turn-start">): string | undefined {
  return prompt === undefined || images.length === 0 ? prompt : `${prompt}\n[attached images: ${images.length}]`;
}

function exchange(prompt: string | undefined, answer: readonly string[]): readonly HistoryMessage[] {
  const text = answer.join("\n\n");
  if (prompt === undefined || text === "") return [];
  return [
    { role: "user", text: prompt },
    { role: "assistant", text },
  ];
}

/** The prompt for an upstream that has lost the session: the marked transcript, cut to its newest part if too long, then the new prompt. */
export function withTranscript(history: readonly HistoryMessage[], prompt: string): string {
  if (history.length === 0) return prompt;
  const kept = newestOf(history);
  const mark = drawMark([prompt, ...kept.map(({ text }) => text)]);
  const { open, close, lead } = markedLines(mark);
  const said = kept.map(({ role, text }) => `${lead(role === "user" ? "USER:" : "ASSISTANT:")}\n${text}`).join("\n\n");
  const past = `${open("earlier_conversation")}\n${said}\n${close("earlier_conversation")}`;
  return [markRule(mark), past, prompt].join("\n\n");
}

/** Keeps the newest messages, each under its own lead; the oldest that fits only partly loses its beginning. */
function newestOf(history: readonly HistoryMessage[]): readonly HistoryMessage[] {
  const kept: HistoryMessage[] = [];
  let room = MAX_TRANSCRIPT_CHARACTERS;
  for (const { role, text } of history.toReversed()) {
    if (room <= 0) break;
    const passable = passableText(text);
    kept.push({ role, text: passable.length <= room ? passable : `[…]\n${passable.slice(-room).toWellFormed()}` });
    room -= passable.length;
  }
  return kept.reverse();
}
