import {
  type Caller,
  CaretError,
  type Conversations,
  keeperOf,
  type TranscriptMessage,
  type TranscriptPart,
  type TurnShare,
} from "@caret/protocol";
import type { AnswerArchive } from "../answers/answer-archive.ts";
import { createBackgroundWork } from "../async/background-work.ts";
import { createKeyedLock } from "../async/keyed-lock.ts";
import type { Attachments } from "../sessions/open-attachments.ts";
import type { SessionBelongings } from "../sessions/remove-session.ts";
import type { ScratchDirectories } from "../sessions/scratch-directories.ts";
import type { RunningTurn, SessionEngine } from "../turns/session-engine.ts";
import { createArrivedAnswers } from "./arrived-answers.ts";
import { answerAgain, createEndFilter, type Replaces } from "./demands/answer-again.ts";
import { createDemands } from "./demands/create-demands.ts";
import type { JsonValidators } from "./demands/json-validator.ts";
import { unlessEdited } from "./edited-answers.ts";
import { classifyTranscript, type TranscriptMatch } from "./matching/classify-transcript.ts";
import type { StateOf } from "./matching/find-origin.ts";
import type { LineageStore, LineageView } from "./matching/lineage-store.ts";
import { lookUp } from "./matching/look-up.ts";
import { conversationOf, type ReadQuestion } from "./matching/read-question.ts";
import { recallTurn } from "./recall-turn.ts";
import { createUnpassableRefuser, type Refusal } from "./refuse-unpassable.ts";
import { type RequestSettings, type ResolvedRequest, resolveRequest } from "./resolved-request.ts";
import { takeUpResults } from "./resume-parked.ts";
import { createSideCalls } from "./side-calls.ts";
import { createTurnRegistry, type TurnRegistry } from "./turn-registry.ts";
import { type AdoptSession, createTurnStarter } from "./turn-starter.ts";
import { waitUntilFree } from "./wait-until-free.ts";

export interface ConversationsOptions extends RequestSettings {
  readonly engine: SessionEngine;
  readonly lineage: LineageStore;
  /** The engine must allow turns to work in them. */
  readonly scratch: ScratchDirectories;
  /** Stores the images of prompts, if these turns' lane can pass them on. Omitted: it cannot, and new images are refused. */
  readonly attachments?: Attachments | undefined;
  /** Removes the answers of side calls along with their sessions. */
  readonly answers?: Pick<AnswerArchive, "removeSession">;
  readonly upstreamState?: SessionBelongings["upstreamState"];
  readonly sandboxes?: SessionBelongings["sandboxes"];
  /** Omitted: there are no other machines. */
  readonly adopt?: AdoptSession | undefined;
  readonly now: () => number;
  /** How long a turn continues after its client left; the client may return within that time. */
  readonly graceMs?: number;
  /** How long calls wait for a client whose process is gone, instead of the engine's own limit. */
  readonly goneMs?: number;
  /** How long after its end a turn answers the same request again, if no client got the complete answer. */
  readonly joinMs?: number;
  /** The same if a client was sent all of it, though it may not have arrived. After that, a repeated request wants another answer. */
  readonly retryMs?: number;
  /** Called for errors outside a turn, which continues. */
  readonly onError?: (error: CaretError) => void;
}

const defaults = {
  graceMs: 5_000,
  goneMs: 30_000,
  joinMs: 10 * 60_000,
  retryMs: 2_000,
  onError: (): void => undefined,
};

export interface RuntimeConversations extends Conversations {
  /** Ends and removes side calls. Call before the engine is closed. */
  close(): Promise<void>;
}

/** Sessions for stateless clients: each request is matched by the transcript it brings. */
export function createConversations(options: ConversationsOptions): RuntimeConversations {
  const settings = { ...defaults, ...options };
  const { engine, lineage, scratch, now, graceMs, joinMs, onError } = settings;
  const registry = createTurnRegistry(settings);
  const sideCalls = createSideCalls({ ...options, engine, lineage, scratch, joinMs, now });
  const { begin, continueSession } = createTurnStarter({ ...options, engine, lineage, scratch, registry, sideCalls });
  const lock = createKeyedLock();
  const known = { ...options, validators: loadOnce() };
  const unpassable = createUnpassableRefuser((part) => refusalOf(part, options));
  const background = createBackgroundWork(onError);
  const arrived = createArrivedAnswers();
  const classify = async (question: ReadQuestion, view: LineageView, connection?: Caller["connection"]) =>
    await unlessEdited(classifyTranscript(question, view, stateFinder(registry, arrived, connection)), {
      engine,
      registry,
    });
  const lineOf = async (question: ReadQuestion) => (await classify(question, await lookUp(question, lineage))).line;
  const insist = createDemands({ engine, registry, lock, lineOf, now });
  // Sessions may have been deleted while no gateway ran.
  background.run((signal) => scratch.sweep(engine.store, signal));

  /** Looks up and acts in one step, so no one takes the session in between. Otherwise returns the turn that is in the way. */
  const decide = async (asked: ResolvedRequest, connection: Caller["connection"]): Promise<TurnShare | RunningTurn> => {
    const view = await lookUp(asked.question, lineage);
    const match = await classify(asked.question, view, connection);
    const { hash } = match.line;
    const answered = view.get(hash);
    const recalled = await recallTurn(asked, { store: engine.store, findShared: registry.find, hash, answered, now });
    return "turn" in recalled ? recalled.turn : await answerNewly({ ...asked, ...recalled }, match);
  };

  const answerNewly = async (resolved: ResolvedRequest, match: TranscriptMatch): Promise<TurnShare | RunningTurn> => {
    const joined = match.relation === "joined" ? registry.find(match.record.turnId) : undefined;
    if (joined !== undefined) return joined.take(match.line.hash, "joined", resolved.client);
    const takenUp = takeUpResults(resolved, match, { turns: engine.runningTurns(), registry });
    if (takenUp !== undefined) return takenUp;
    if (match.relation !== "continuation") return await begin(resolved, match);
    const inTheWay = engine.runningTurn(match.sessionId);
    if (inTheWay !== undefined) return inTheWay;
    return (
      (await continueSession(resolved, match)) ?? (await begin(resolved, { line: match.line, relation: "divergence" }))
    );
  };

  const answer = async (resolved: ResolvedRequest, connection: Caller["connection"]): Promise<TurnShare> => {
    for (;;) {
      const found = await lock.run(resolved.question.scope, () =>
        onceMore(options.adopt !== undefined, () => decide(resolved, connection)),
      );
      if ("relation" in found) return arrived.watch(found, connection);
      await waitUntilFree(found, registry.find(found.turnId), graceMs);
    }
  };

  return {
    async open(request, caller) {
      assertAnswerable(request.messages);
      unpassable.check(request.messages, keeperOf(caller));
      if (request.workspace !== undefined) scratch.assertElsewhere(request.workspace);
      registry.tidy();
      if (sideCalls.size > 0) background.run(sideCalls.tidy);
      const resolved = await resolveRequest(request, caller, known);
      const share = insist(
        resolved,
        withAnotherAgent(resolved, await answer(resolved, caller.connection), {
          start: () => answer(resolved, undefined),
          isWhole: request.isWhole === true,
        }),
      );
      // A copy would freeze the current outcome.
      return Object.assign(share, { conversation: conversationOf(resolved.question) });
    },
    close: () => background.close().then(sideCalls.close),
  };
}

/** Finds a recorded turn's state for the client on this connection. */
function stateFinder(
  registry: TurnRegistry,
  arrived: ReturnType<typeof createArrivedAnswers>,
  connection: Caller["connection"],
): StateOf {
  return ({ turnId }, hash) => {
    const turn = registry.find(turnId);
    if (turn === undefined) return "over";
    const isOver = turn.endedAt !== undefined && hash === turn.firstHash && arrived.has(turnId, connection);
    return isOver ? "over" : turn.state(hash);
  };
}

function loadOnce(): () => Promise<JsonValidators> {
  let loaded: Promise<JsonValidators> | undefined;
  const load = async (): Promise<JsonValidators> => {
    const { createJsonValidators } = await import("./demands/json-validator.ts");
    return createJsonValidators();
  };
  return () => (loaded ??= load());
}

/** If the client runs the tools, an agent killed from outside before its turn has acted is replaced once. */
function withAnotherAgent(
  { owner }: ResolvedRequest,
  turn: TurnShare,
  { start, isWhole }: { readonly start: () => Promise<TurnShare>; readonly isWhole: boolean },
): TurnShare {
  if (owner !== "client") return turn;
  const isReplaced: Replaces = (outcome) =>
    outcome.kind === "failed" && outcome.error.code === "killed" && !turn.hasActed();
  return answerAgain(turn, {
    start,
    openFilters: () => [createEndFilter(isReplaced, isWhole), createEndFilter(() => false)],
  });
}

/** If other machines share the log, the session may have moved on since it was looked up: then decide once more. */
function onceMore<Found>(isShared: boolean, decide: () => Promise<Found>): Promise<Found> {
  if (!isShared) return decide();
  return decide().catch((reason: unknown) => {
    if (CaretError.from(reason).code !== "session-busy") throw reason;
    return decide();
  });
}

function refusalOf(
  part: TranscriptPart,
  { attachments }: Pick<ConversationsOptions, "attachments">,
): Refusal | undefined {
  if (part.kind === "text" || (part.kind === "image" && attachments !== undefined)) return undefined;
  if (part.kind === "unpassable") return part.refusal;
  return {
    message: "This lane cannot pass images on to the agent",
    fix: "Save the image in the workspace and name its path: the agent can open files.",
  };
}

/** Throws for a transcript that asks nothing. */
function assertAnswerable(messages: readonly TranscriptMessage[]): void {
  const last = messages.at(-1);
  if (last === undefined)
    throw new CaretError("invalid-request", "There are no messages", { fix: "Send at least one message." });
  if (last.role === "assistant")
    throw new CaretError("invalid-request", "The last message is the assistant's own", {
      fix: "End with a message of the user or with the results of tools: an answer cannot be begun for the agent.",
    });
}
