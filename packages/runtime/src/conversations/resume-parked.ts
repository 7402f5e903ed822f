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

/** Handles a request that ends with results of a turn's calls: the turn continues with them, or is in the way. */
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
  // Its conversation continues without it, wherever that leads.
  return match.line.aside !== undefined || shared.isAttended ? undefined : shared.turn;
}

/** A turn keeps its model and its tool owner; a change of either applies to the session's next turn. */
function canGoOn({ model }: RunningTurn, resolved: ResolvedRequest): boolean {
  return resolved.model === model && resolved.owner !== "gateway";
}

/** Results at the end of a transcript, and the running turn whose calls they answer. */
interface BroughtResults {
  readonly shared: SharedTurn;
  /** Results that the turn waits for; empty if it already had results for all of these calls. */
  readonly awaited: readonly ToolMessage[];
  /** The text of the user messages next to them, including the client's own additions. */
  readonly said: string;
  /** The user has said something: that starts the next turn and ends the waiting one. */
  readonly hasQuestion: boolean;
}

/** Undefined if no running turn made the calls. Only the turn's own keeper may answer its calls. */
function findBroughtResults(
  { question, keeper }: ResolvedRequest,
  turns: readonly RunningTurn[],
  registry: Pick<TurnRegistry, "find">,
): BroughtResults | undefined {
  const news = question.messages.slice(question.messages.findLastIndex(({ role }) => role === "assistant") + 1);
  const results = news.filter((message): message is ToolMessage => message.role === "tool");
  // Most requests bring none and need not search all running turns.
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
 * Gives a turn the results it waits for, and continues its answer in the request that brought them. Calls without a result keep waiting as
 * long as the client accepts them. The last result is the only way to pass a client's additions to user messages, and its new offers or
 * demands, to an agent in mid-turn.
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
