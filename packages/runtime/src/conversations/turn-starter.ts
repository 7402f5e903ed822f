import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { CaretError, type TurnShare } from "@caret/protocol";
import type { SessionRecord } from "../log/event-store.ts";
import type { Attachments } from "../sessions/open-attachments.ts";
import type { ScratchDirectories } from "../sessions/scratch-directories.ts";
import type { SessionEngine, TurnRequest } from "../turns/session-engine.ts";
import type { Continuation, TranscriptMatch } from "./matching/classify-transcript.ts";
import type { LineageStore } from "./matching/lineage-store.ts";
import { planFirstTurn, planNextTurn } from "./plan-turn.ts";
import { imagesAskedAbout } from "./render-prompt.ts";
import type { ResolvedRequest } from "./resolved-request.ts";
import type { SharedTurn } from "./shared-turn.ts";
import type { SideCalls } from "./side-calls.ts";
import type { TurnRegistry } from "./turn-registry.ts";

export interface TurnStarterOptions {
  readonly engine: SessionEngine;
  readonly lineage: LineageStore;
  readonly scratch: ScratchDirectories;
  readonly registry: TurnRegistry;
  readonly sideCalls: SideCalls;
  readonly adopt?: AdoptSession | undefined;
  readonly attachments?: Attachments | undefined;
}

/**
 * Takes over a session that worked on another machine: its turns now run here, in this directory if one is given, without the other
 * machine's chats. Returns the updated session.
 */
export type AdoptSession = (sessionId: string, directory: string | undefined) => Promise<SessionRecord>;

/** Starts the turn of a request once its kind is known. */
export interface TurnStarter {
  /** The first turn of a new session. */
  begin(resolved: ResolvedRequest, match: TranscriptMatch): Promise<TurnShare>;
  /** The next turn of a session; undefined if the session or its directory is gone. */
  continueSession(
    resolved: ResolvedRequest,
    match: Continuation & Pick<TranscriptMatch, "line">,
  ): Promise<TurnShare | undefined>;
}

export function createTurnStarter(options: TurnStarterOptions): TurnStarter {
  const { engine, lineage, scratch, sideCalls, adopt, attachments } = options;
  const attachesImages = attachments !== undefined;

  const lose = async (sessionId: string): Promise<undefined> => {
    await lineage.forget(sessionId);
  };

  /** Rethrows any error other than that the session or its directory is gone. */
  const loseIfGone = async (sessionId: string, reason: unknown): Promise<undefined> => {
    const { code } = CaretError.from(reason);
    if (code !== "session-not-found" && code !== "workspace-missing") throw reason;
    // What is missing here may exist on the session's own machine, for when it is back.
    return adopt !== undefined && code === "workspace-missing" ? undefined : await lose(sessionId);
  };

  /** The contents of a directory of ours on the other machine are lost; its purpose, the instructions, comes with each request. */
  const takeOver = async (
    session: SessionRecord,
    resolved: ResolvedRequest,
    { line, seen }: Continuation & Pick<TranscriptMatch, "line">,
  ): Promise<SessionRecord> => {
    if (adopt === undefined) return session;
    const isApart = line.aside !== undefined || resolved.isApart;
    const isHere = !isApart || (scratch.holds(session.workspace) && existsSync(session.workspace));
    // A machine without the user's directory does not become the session's home.
    if (isHere && (seen?.isElsewhere !== true || !existsSync(session.workspace))) return session;
    const place = isHere ? undefined : scratch.make(resolved.question.system);
    return await adopt(session.id, place).catch((reason: unknown) => {
      if (place !== undefined) scratch.remove(place);
      throw reason;
    });
  };

  return {
    async begin(resolved, match) {
      const { line } = match;
      // A side call without tools must not touch anyone's files.
      const isApart = line.aside !== undefined || resolved.isApart;
      const place = isApart ? scratch.make(resolved.question.system) : undefined;
      try {
        const plan = planFirstTurn(resolved, place, line, attachesImages);
        const shared = await start(options, match, resolved, plan);
        if (place !== undefined) {
          sideCalls.add(shared, line);
          shared.turn.begun.catch(() => scratch.remove(place));
        }
        return shared.take(line.hash, match.relation, resolved.client);
      } catch (reason) {
        if (place !== undefined) scratch.remove(place);
        throw reason;
      }
    },
    async continueSession(resolved, match) {
      const known = await engine.store.getSession(match.sessionId);
      if (known === undefined) return await lose(match.sessionId);
      const session = await takeOver(known, resolved, match);
      const isScratch = scratch.holds(session.workspace);
      try {
        // Only if the directory still exists; otherwise the engine reports it missing.
        if (isScratch && existsSync(session.workspace)) scratch.instruct(session.workspace, resolved.question.system);
        // With a second question it is a conversation, whatever the first one looked like.
        sideCalls.keep(session.id);
        const plan = planNextTurn(resolved, match, { isScratch, attachesImages });
        const shared = await start(options, match, resolved, plan);
        return shared.take(match.line.hash, "continuation", resolved.client);
      } catch (reason) {
        return await loseIfGone(match.sessionId, reason);
      }
    },
  };
}

/** Starts a turn with the images of its messages; if it cannot start, they are removed again. */
async function start(
  { registry, attachments }: Pick<TurnStarterOptions, "registry" | "attachments">,
  match: TranscriptMatch,
  resolved: ResolvedRequest,
  plan: TurnRequest,
): Promise<SharedTurn> {
  const request = recorded(resolved, plan);
  const heard = match.relation === "continuation" ? match.newFrom : 0;
  const images = attachments === undefined ? [] : imagesAskedAbout(resolved.question.messages.slice(heard));
  if (attachments === undefined || images.length === 0) return await registry.start(match, request, resolved);
  const sessionId = request.sessionId ?? randomUUID();
  const saved = await attachments.save(sessionId, images);
  const place = request.sessionId === undefined ? { newSessionId: sessionId } : {};
  return await registry.start(match, { ...request, ...place, images: saved }, resolved).catch(async (reason) => {
    await attachments.discard(saved);
    throw reason;
  });
}

function recorded({ command }: ResolvedRequest, request: TurnRequest): TurnRequest {
  return command === undefined ? request : { ...request, command };
}
