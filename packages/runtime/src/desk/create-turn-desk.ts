import type { CaretError } from "@caret/protocol";
import type { AnswerArchive } from "../answers/answer-archive.ts";
import { createBackgroundWork } from "../engine/background-work.ts";
import type { RunningTurn, SessionEngine } from "../engine/session-engine.ts";
import { classifyTranscript, type Verdict } from "../lineage/classify-transcript.ts";
import type { LineageRecord, LineageStore } from "../lineage/lineage-store.ts";
import type { ReadQuestion } from "../lineage/read-question.ts";
import type { TranscriptPart } from "../lineage/transcript.ts";
import { answerAgain } from "./answer-again.ts";
import { createArrivedAnswers } from "./arrived-answers.ts";
import { assertAnswerable } from "./assert-answerable.ts";
import { createInsistence } from "./demanded-call.ts";
import { type Enquiry, type EnquirySettings, toEnquiry } from "./enquiry.ts";
import { createKeyedLock } from "./keyed-lock.ts";
import { makeWay } from "./make-way.ts";
import { recallTurn } from "./recall-turn.ts";
import { createUnpassableRefuser, type Refusal } from "./refuse-unpassable.ts";
import { takeUpResults } from "./resume-parked.ts";
import type { ScratchPlaces } from "./scratch-places.ts";
import { createSideCalls } from "./side-calls.ts";
import { createTurnBook } from "./turn-book.ts";
import type { DeskCaller, DeskTurn, TurnDesk } from "./turn-desk.ts";
import { createTurnStarter } from "./turn-starter.ts";

export interface TurnDeskOptions extends EnquirySettings {
  readonly engine: SessionEngine;
  readonly lineage: LineageStore;
  /** The engine must allow turns to work in them. */
  readonly scratch: ScratchPlaces;
  /** Forgets the answers of side calls with their sessions. */
  readonly answers?: Pick<AnswerArchive, "removeSession">;
  /** How many turns run at once, whoever started them. */
  readonly maxTurns: number;
  readonly now: () => number;
  /** How long a turn goes on when its client is gone; the client may come back meanwhile. */
  readonly graceMs?: number;
  /** How long calls wait for a client whose process is gone, instead of the engine's own limit. */
  readonly goneMs?: number;
  /** How long after its end the same request is answered with the same turn, if no client was given all of it. */
  readonly joinMs?: number;
  /** The same when a client was: it may not have got it all the same. Later it wants another answer. */
  readonly retryMs?: number;
  /** Hears of what went wrong beside a turn, which goes on. */
  readonly onError?: (error: CaretError) => void;
}

const defaults = {
  graceMs: 5_000,
  goneMs: 2 * 60_000,
  joinMs: 10 * 60_000,
  retryMs: 2_000,
  onError: (): void => undefined,
};

/** Sessions for clients that know of none: each request is recognised by the transcript it brings. */
export function createTurnDesk(options: TurnDeskOptions): TurnDesk {
  const settings = { ...defaults, ...options };
  const { engine, lineage, scratch, now, graceMs, joinMs, onError } = settings;
  const book = createTurnBook(settings);
  const sideCalls = createSideCalls({ engine, lineage, scratch, answers: options.answers, joinMs, now });
  const { begin, goOn } = createTurnStarter({ engine, lineage, scratch, book, sideCalls });
  const lock = createKeyedLock();
  const unpassable = createUnpassableRefuser(refusalOf);
  const background = createBackgroundWork(onError);
  const arrived = createArrivedAnswers();
  const classify = (question: ReadQuestion, connection?: DeskCaller["connection"]): Verdict =>
    classifyTranscript(question, lineage, ({ turnId }: LineageRecord, hash: string) => {
      const turn = book.find(turnId);
      if (turn === undefined) return "over";
      const isOver = turn.endedAt !== undefined && hash === turn.firstHash && arrived.has(turnId, connection);
      return isOver ? "over" : turn.state(hash);
    });
  const insistOnCall = createInsistence({ engine, book, lock, lineOf: (question) => classify(question).line });
  // Sessions may have been deleted while no gateway ran.
  background.run((signal) => scratch.sweep(engine.store, signal));

  /** Look and act in one go: between the two nobody else may take the session. Else gives the turn that is in the way. */
  const decide = async (asked: Enquiry, connection: DeskCaller["connection"]): Promise<DeskTurn | RunningTurn> => {
    const verdict = classify(asked.question, connection);
    const recalled = await recallTurn(asked, { store: engine.store, findShared: book.find, hash: verdict.line.hash });
    return "turn" in recalled ? recalled.turn : await answerNewly({ ...asked, ...recalled }, verdict);
  };

  const answerNewly = async (enquiry: Enquiry, verdict: Verdict): Promise<DeskTurn | RunningTurn> => {
    const joined = verdict.relation === "joined" ? book.find(verdict.record.turnId) : undefined;
    if (joined !== undefined) return joined.take(verdict.line.hash, "joined", enquiry.client);
    const takenUp = takeUpResults(enquiry, verdict, { turns: engine.runningTurns(), book });
    if (takenUp !== undefined) return takenUp;
    if (verdict.relation !== "continuation") return await begin(enquiry, verdict);
    const inTheWay = engine.runningTurn(verdict.sessionId);
    if (inTheWay !== undefined) return inTheWay;
    return (await goOn(enquiry, verdict)) ?? (await begin(enquiry, { line: verdict.line, relation: "divergence" }));
  };

  const answer = async (enquiry: Enquiry, connection: DeskCaller["connection"]): Promise<DeskTurn> => {
    for (;;) {
      const found = await lock.run(enquiry.question.scope, () => decide(enquiry, connection));
      if ("relation" in found) return arrived.watch(found, connection);
      await makeWay(found, book.find(found.turnId), graceMs);
    }
  };

  /**
   * An agent that is killed from outside before its client has seen anything is replaced once. Only where the client runs the
   * tools: such an agent has changed nothing, and the transcript has every result that it was given.
   */
  const withAnotherAgent = (enquiry: Enquiry, turn: DeskTurn, isWhole: boolean): DeskTurn => {
    if (enquiry.owner !== "client") return turn;
    return answerAgain(turn, {
      replaces: (outcome, shown) => outcome.kind === "failed" && outcome.error.code === "killed" && !shown.anything,
      start: () => answer(enquiry, undefined),
      isWhole,
    });
  };

  return {
    async open(request, caller) {
      assertAnswerable(request.messages);
      unpassable.check(request.messages, caller.tokenName);
      if (request.workspace !== undefined) scratch.assertElsewhere(request.workspace);
      book.tidy();
      background.run(sideCalls.tidy);
      const enquiry = await toEnquiry(request, caller, options);
      return insistOnCall(
        enquiry,
        withAnotherAgent(enquiry, await answer(enquiry, caller.connection), request.isWhole === true),
      );
    },
    close: () => background.close().then(sideCalls.close),
  };
}

function refusalOf(part: TranscriptPart): Refusal | undefined {
  if (part.kind === "text") return undefined;
  if (part.kind === "unpassable") return part.refusal;
  return {
    message: "This lane cannot pass images on to the agent",
    fix: "Save the image in the workspace and name its path: the agent can open files.",
  };
}
