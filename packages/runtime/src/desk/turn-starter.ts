import { existsSync } from "node:fs";
import { CaretError } from "@caret/protocol";
import type { SessionEngine, TurnRequest } from "../engine/session-engine.ts";
import type { Continuation, Verdict } from "../lineage/classify-transcript.ts";
import type { LineageStore } from "../lineage/lineage-store.ts";
import type { Enquiry } from "./enquiry.ts";
import { planFirstTurn, planNextTurn } from "./plan-turn.ts";
import type { ScratchPlaces } from "./scratch-places.ts";
import type { SideCalls } from "./side-calls.ts";
import type { TurnBook } from "./turn-book.ts";
import type { DeskTurn } from "./turn-desk.ts";

export interface TurnStarterOptions {
  readonly engine: SessionEngine;
  readonly lineage: LineageStore;
  readonly scratch: ScratchPlaces;
  readonly book: TurnBook;
  readonly sideCalls: SideCalls;
}

/** Starts the turn of a request once it is known what the request is. */
export interface TurnStarter {
  /** The first turn of a new session. */
  begin(enquiry: Enquiry, verdict: Verdict): Promise<DeskTurn>;
  /** The next turn of a session; undefined when the session, or the directory it worked in, is gone. */
  goOn(enquiry: Enquiry, verdict: Continuation & Pick<Verdict, "line">): Promise<DeskTurn | undefined>;
}

export function createTurnStarter(options: TurnStarterOptions): TurnStarter {
  const { engine, lineage, scratch, book, sideCalls } = options;

  const lose = (sessionId: string): undefined => {
    lineage.forget(sessionId);
  };

  return {
    async begin(enquiry, verdict) {
      const { line } = verdict;
      // A side call without tools has no business in anyone's files.
      const isApart = line.aside !== undefined || enquiry.isApart;
      const place = isApart ? scratch.make(enquiry.question.system) : undefined;
      try {
        const shared = await book.start(
          verdict,
          recorded(enquiry, planFirstTurn(enquiry, place, line)),
          enquiry.tokenName,
        );
        if (place !== undefined) sideCalls.add(shared, place, line);
        return shared.take(line.hash, verdict.relation, enquiry.client);
      } catch (reason) {
        if (place !== undefined) scratch.remove(place);
        throw reason;
      }
    },
    async goOn(enquiry, verdict) {
      const session = await engine.store.getSession(verdict.sessionId);
      if (session === undefined) return lose(verdict.sessionId);
      const isScratch = scratch.holds(session.workspace);
      try {
        // Only where the directory is still there: the engine misses it otherwise.
        if (isScratch && existsSync(session.workspace)) scratch.instruct(session.workspace, enquiry.question.system);
        // With a second question it is a conversation, whatever the first one looked like.
        sideCalls.keep(session.id);
        const plan = recorded(enquiry, planNextTurn(enquiry, verdict, isScratch));
        const shared = await book.start(verdict, plan, enquiry.tokenName);
        return shared.take(verdict.line.hash, "continuation", enquiry.client);
      } catch (reason) {
        const { code } = CaretError.from(reason);
        if (code !== "session-not-found" && code !== "workspace-missing") throw reason;
        return lose(verdict.sessionId);
      }
    },
  };
}

function recorded({ command }: Enquiry, request: TurnRequest): TurnRequest {
  return command === undefined ? request : { ...request, command };
}
