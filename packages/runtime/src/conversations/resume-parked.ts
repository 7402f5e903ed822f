import type { TranscriptMessage, TurnShare } from "@caret/protocol";
import { meansCall } from "../calls/means-call.ts";
import { describeAdded } from "../lanes/offered-tools.ts";
import { type AddedPart, passableText, resultWith } from "../turns/prompt-marks.ts";
import type { RunningTurn } from "../turns/session-engine.ts";
import { demandRule, type ToolTerms } from "./demands/tool-demand.ts";
import type { TranscriptMatch } from "./matching/classify-transcript.ts";
import { isSpoken, textOf } from "./render-prompt.ts";
import type { ResolvedRequest } from "./resolved-request.ts";
import type { SharedTurn } from "./shared-turn.ts";
import type { TurnRegistry } from "./turn-registry.ts";

type ToolMessage = Extract<TranscriptMessage, { role: "tool" }>;

const IMAGE_BESIDE = "[an image, which is attached to this result]";

interface RunningTurns {
  readonly turns: readonly RunningTurn[];
  readonly registry: Pick<TurnRegistry, "find" | "note">;
}

/** A request that ends with results of a turn's calls: the turn goes on with them, or is in the way. */
export function takeUpResults(
  resolved: ResolvedRequest,
  match: TranscriptMatch,
  { turns, registry }: RunningTurns,
): TurnShare | RunningTurn | undefined {
  const brought = findBroughtResults(resolved, turns, registry);
  if (brought === undefined) return undefined;
  const { shared, awaited, hasQuestion } = brought;
  const isEdited = "isEdited" in match;
  if (!isEdited && awaited.length > 0 && !hasQuestion && canGoOn(shared.turn, resolved)) {
    giveResults(brought, resolved.terms, match.line.hash);
    registry.note(shared, match);
    return shared.take(match.line.hash, "continuation", resolved.client);
  }
  // Its conversation has gone on without it, wherever that leads.
  return match.line.aside !== undefined || shared.isAttended ? undefined : shared.turn;
}

/** A turn keeps its model and whose tools it uses: another of either is for the session's next turn. */
function canGoOn({ model }: RunningTurn, resolved: ResolvedRequest): boolean {
  return resolved.model === model && resolved.owner !== "gateway";
}

/** Results at the end of a transcript, and the running turn whose calls they answer. */
interface BroughtResults {
  readonly shared: SharedTurn;
  /** Those that the turn waits for; none when it has got results for all of these calls before. */
  readonly awaited: readonly ToolMessage[];
  /** What the user's messages beside them say, the client's own additions included. */
  readonly said: string;
  /** The user has said something: that begins the next turn, and ends the one that waits. */
  readonly hasQuestion: boolean;
}

/** Undefined when no turn that runs has made the calls. Only who started a turn may answer its calls. */
function findBroughtResults(
  { question, keeper }: ResolvedRequest,
  turns: readonly RunningTurn[],
  registry: Pick<TurnRegistry, "find">,
): BroughtResults | undefined {
  const news = question.messages.slice(question.messages.findLastIndex(({ role }) => role === "assistant") + 1);
  const results = news.filter((message): message is ToolMessage => message.role === "tool");
  // Most requests bring none, and need not look at every turn that runs.
  if (results.length === 0) return undefined;
  const shared = turns
    .map(({ turnId }) => registry.find(turnId))
    .find((turn) => turn?.keeper === keeper && results.some(({ callId }) => turn.hasCall(callId)));
  if (shared === undefined) return undefined;
  const users = news.filter(({ role }) => role === "user");
  return {
    shared,
    awaited: results.filter(({ callId }) => waitsFor(shared.turn, callId)),
    said: users.map((message) => textOf(partsOf(message))).join("\n\n"),
    hasQuestion: news.some(isSpoken),
  };
}

/**
 * Give a turn the results that it waits for, and let its answer go on in the request that brought them. Calls without a
 * result keep waiting while the client still takes them. What a client adds to the user's messages, and what it now offers or demands, has no other way to an
 * agent in mid-turn than with the last of the results.
 */
function giveResults({ shared, awaited, said }: BroughtResults, terms: ToolTerms, hash: string): void {
  shared.resume(hash);
  const addedTools = shared.turn.offerTools(terms.offer);
  const added = [
    ...(said.trim() === "" ? [] : [{ lead: "The client adds:", text: passableText(said) }]),
    ...(addedTools.length === 0 ? [] : [toRule(describeAdded(addedTools, terms.offer.tools))]),
    ...(terms.demanded === undefined ? [] : [toRule(demandRule(terms.demanded))]),
  ];
  for (const { callId, parts, isError } of awaited) {
    const beside = callId === awaited.at(-1)?.callId ? added : [];
    const images = parts.filter((part) => part.kind === "image");
    const text = resultWith(passableText(textOf(parts, IMAGE_BESIDE)), beside);
    shared.turn.parked?.answer(callId, { text, isError, ...(images.length === 0 ? {} : { images }) });
  }
  shared.turn.parked?.refuseUncallable();
}

function toRule(text: string): AddedPart {
  return { lead: "The gateway adds:", text };
}

function waitsFor({ parked }: RunningTurn, callId: string): boolean {
  return parked?.open().some((call) => meansCall(callId, call.callId)) ?? false;
}

function partsOf(message: TranscriptMessage): ToolMessage["parts"] {
  return message.role === "assistant" ? [] : message.parts;
}
