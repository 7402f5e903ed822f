import { existsSync } from "node:fs";
import { CaretError, type TurnShare } from "@caret/protocol";
import type { ScratchDirectories } from "../paths/scratch-directories.ts";
import type { SessionEngine, TurnRequest } from "../turns/session-engine.ts";
import type { Continuation, TranscriptMatch } from "./matching/classify-transcript.ts";
import type { LineageStore } from "./matching/lineage-store.ts";
import { planFirstTurn, planNextTurn } from "./plan-turn.ts";
import type { ResolvedRequest } from "./resolved-request.ts";
import type { SideCalls } from "./side-calls.ts";
import type { TurnRegistry } from "./turn-registry.ts";

export interface TurnStarterOptions {
  readonly engine: SessionEngine;
  readonly lineage: LineageStore;
  readonly scratch: ScratchDirectories;
  readonly registry: TurnRegistry;
  readonly sideCalls: SideCalls;
}

/** Starts the turn of a request once it is known what the request is. */
export interface TurnStarter {
  /** The first turn of a new session. */
  begin(resolved: ResolvedRequest, verdict: TranscriptMatch): Promise<TurnShare>;
  /** The next turn of a session; undefined when the session, or the directory it worked in, is gone. */
  goOn(
    resolved: ResolvedRequest,
    verdict: Continuation & Pick<TranscriptMatch, "line">,
  ): Promise<TurnShare | undefined>;
}

export function createTurnStarter(options: TurnStarterOptions): TurnStarter {
  const { engine, lineage, scratch, registry, sideCalls } = options;

  const lose = (sessionId: string): undefined => {
    lineage.forget(sessionId);
  };

  return {
    async begin(resolved, verdict) {
      const { line } = verdict;
      // A side call without tools has no business in anyone's files.
      const isApart = line.aside !== undefined || resolved.isApart;
      const place = isApart ? scratch.make(resolved.question.system) : undefined;
      try {
        const shared = await registry.start(
          verdict,
          recorded(resolved, planFirstTurn(resolved, place, line)),
          resolved.tokenName,
        );
        if (place !== undefined) {
          sideCalls.add(shared, line);
          shared.turn.begun.catch(() => scratch.remove(place));
        }
        return shared.take(line.hash, verdict.relation, resolved.client);
      } catch (reason) {
        if (place !== undefined) scratch.remove(place);
        throw reason;
      }
    },
    async goOn(resolved, verdict) {
      const session = await engine.store.getSession(verdict.sessionId);
      if (session === undefined) return lose(verdict.sessionId);
      const isScratch = scratch.holds(session.workspace);
      try {
        // Only where the directory is still there: the engine misses it otherwise.
        if (isScratch && existsSync(session.workspace)) scratch.instruct(session.workspace, resolved.question.system);
        // With a second question it is a conversation, whatever the first one looked like.
        sideCalls.keep(session.id);
        const plan = recorded(resolved, planNextTurn(resolved, verdict, isScratch));
        const shared = await registry.start(verdict, plan, resolved.tokenName);
        return shared.take(verdict.line.hash, "continuation", resolved.client);
      } catch (reason) {
        const { code } = CaretError.from(reason);
        if (code !== "session-not-found" && code !== "workspace-missing") throw reason;
        return lose(verdict.sessionId);
      }
    },
  };
}

function recorded({ command }: ResolvedRequest, request: TurnRequest): TurnRequest {
  return command === undefined ? request : { ...request, command };
}
