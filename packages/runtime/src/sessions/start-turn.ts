import {
  type AgentEventOf,
  CaretError,
  type PermissionWord,
  type RequestedModel,
  type StartTurn,
} from "@caret/protocol";
import type { CommandOptions, SessionChanges, SessionRecord } from "../log/event-store.ts";
import { createSessionGrants, type SessionGrants } from "../policy/grants/session-grants.ts";
import type { Tool } from "../tools/tool.ts";
import type { GatewayToolsRequest, RunningTurn, TurnRequest } from "../turns/session-engine.ts";
import { titleOf } from "../turns/title-of.ts";
import { attendedTools } from "./attended-tools.ts";
import type { Attachments } from "./open-attachments.ts";
import type { SessionEditors } from "./session-editors.ts";
import type { SessionServers } from "./session-servers.ts";
import type { SessionsOptions } from "./sessions-context.ts";

/** Who asks for a turn, and under which key. */
export interface TurnOrigin extends CommandOptions, Pick<TurnRequest, "client" | "turnId" | "traceparent"> {}

export interface TurnStarter {
  /** Resolves when the `turn-start` is committed. What was said to the turn and did not reach it starts the next one. */
  start(session: SessionRecord, wanted: StartTurn, options?: TurnOrigin): Promise<RunningTurn>;
  /** What a person has allowed for the rest of the session. */
  grants(sessionId: string): SessionGrants;
  /** The session is gone: forget what was allowed in it. */
  forget(sessionId: string): void;
  /** No turn starts by itself from here on. */
  close(): void;
}

export interface SessionTurnStarterOptions extends SessionsOptions {
  readonly attachments: Attachments;
  readonly servers: SessionServers;
  readonly editors: SessionEditors;
  /** A turn of the session starts or stops waiting for a person. */
  readonly onWaiting: (sessionId: string) => void;
}

export function createSessionTurnStarter(options: SessionTurnStarterOptions): TurnStarter {
  const { engine, attachments, onError = () => undefined } = options;
  const granted = new Map<string, SessionGrants>();
  /** By turn: over when the turn is, and what it did not hear has started the next one. */
  const endings = new Map<string, Promise<void>>();
  let isClosing = false;

  const grantsIn = (sessionId: string): SessionGrants => {
    const grants = granted.get(sessionId) ?? createSessionGrants(options);
    granted.set(sessionId, grants);
    return grants;
  };

  const begin = async (session: SessionRecord, wanted: StartTurn, origin: TurnOrigin): Promise<RunningTurn> => {
    // What a person has allowed in the session was not meant for an agent with less, by whose message a turn begins.
    const isHeld = origin.command?.delivers !== undefined && wanted.permission !== undefined;
    const grants = isHeld ? createSessionGrants(options) : grantsIn(session.id);
    const request = await toRequest(options, session, wanted, grants);
    const images = await attachments.save(session.id, wanted.images ?? []);
    const { prompt } = wanted;
    return await engine.startTurn({ ...request, ...origin, prompt, images }).catch(async (reason) => {
      // Remove the images of a turn that did not start.
      await attachments.discard(images);
      throw reason;
    });
  };

  const startNow = async (session: SessionRecord, wanted: StartTurn, origin: TurnOrigin = {}): Promise<RunningTurn> => {
    const turn = await begin(session, wanted, origin);
    const end = turn.asks.onChange(() => options.onWaiting(session.id));
    void turn.settled.then(() => {
      end();
      options.servers.rest(session.id);
    });
    const ending = sendUnsent(session.id, turn, wanted, origin)
      .catch((reason: unknown) => onError(CaretError.from(reason)))
      .finally(() => endings.delete(turn.turnId));
    endings.set(turn.turnId, ending);
    await settleSession(options, session, wanted.prompt, turn);
    return turn;
  };

  /** A client that has read the end of a turn may start the next one, although the last one still cleans up. */
  const start: TurnStarter["start"] = async (session, wanted, origin) => {
    const { id, lastTurn } = session;
    if (lastTurn?.outcome !== undefined) {
      const turn = engine.runningTurn(id);
      // Another door's, perhaps.
      if (turn?.turnId === lastTurn.turnId) await turn.settled;
      await endings.get(lastTurn.turnId);
    }
    return await startNow(session, wanted, origin);
  };

  /** A turn that was stopped stays stopped; any other is followed by what it did not hear. */
  const sendUnsent = async (
    sessionId: string,
    turn: RunningTurn,
    wanted: StartTurn,
    { client }: TurnOrigin,
  ): Promise<void> => {
    const { kind } = await turn.outcome;
    await turn.settled;
    const unsent = turn.unsentSteering();
    if (unsent.length === 0 || kind === "cancelled" || isClosing) return;
    const session = await engine.store.getSession(sessionId);
    if (session === undefined) return;
    const { images, ...same } = wanted;
    // Its key was the first turn's.
    await startNow(session, { ...same, prompt: unsent.join("\n\n") }, client === undefined ? {} : { client });
  };

  return {
    start,
    grants: grantsIn,
    forget(sessionId) {
      granted.delete(sessionId);
      options.servers.offer(sessionId, []);
    },
    close() {
      isClosing = true;
    },
  };
}

async function toRequest(
  options: SessionTurnStarterOptions,
  session: SessionRecord,
  { model, mode, permission, sandbox }: StartTurn,
  grants: SessionGrants,
): Promise<Omit<TurnRequest, "prompt">> {
  const word = permission ?? session.permission ?? options.defaultPermission;
  return {
    sessionId: session.id,
    ...(model === undefined ? {} : { model: await options.resolveModel(modelNamed(model)) }),
    ...(mode === undefined ? {} : { mode }),
    ...(sandbox === undefined ? {} : { sandbox }),
    ...(await ownerFor(word, options, session, grants)),
  };
}

async function ownerFor(
  permission: PermissionWord,
  { scratch, servers, editors, toolsOf, registrationOf }: SessionTurnStarterOptions,
  session: SessionRecord,
  grants: SessionGrants,
): Promise<Partial<TurnRequest>> {
  if (permission === "full") {
    const notices = unusedServers(servers.namesOf(session.id));
    const registration = await registrationOf?.(session.id);
    const own = { force: true, attended: true, agentTools: { permission, grants }, notices } as const;
    return registration === undefined ? own : { ...own, registration };
  }
  const openMore = withOwnTools(servers.opener(session), (await toolsOf?.(session.id)) ?? []);
  return attendedTools({ scratch, session, permission, grants, openMore, editor: editors.of(session.id) });
}

type OpenMore = GatewayToolsRequest["openMore"];

/** Tools of the session's own agent, together with those of MCP servers that its client has offered. */
function withOwnTools(open: OpenMore, own: readonly Tool[]): OpenMore {
  if (own.length === 0) return open;
  return async () => {
    const more = await open?.();
    return { source: { tools: () => [...own, ...(more?.source.tools() ?? [])] }, problems: more?.problems ?? [] };
  };
}

/** An agent with tools of its own is started in the user's workspace, where Caret writes no settings for it. */
function unusedServers(names: readonly string[]): readonly AgentEventOf<"notice">[] {
  if (names.length === 0) return [];
  const message = `An agent with full access is not given the MCP servers of the client (${names.join(", ")}). Choose another permission to use them`;
  return [{ type: "notice", kind: "not-obeyed", message }];
}

/** A model by its name alone. */
export function modelNamed(model: string): RequestedModel {
  return { model, cursorModel: undefined, effort: undefined, thinking: undefined };
}

/** What the first turn decides for a session that was made without it. */
async function settleSession(
  { engine, redactor, onError }: SessionsOptions,
  session: SessionRecord,
  prompt: string,
  { lane, isLaneChosen, model }: RunningTurn,
): Promise<void> {
  const title = session.title === undefined ? titleOf(prompt, redactor()) : "";
  const changes: SessionChanges = {
    ...(title === "" ? {} : { title }),
    ...(session.lane === undefined && !isLaneChosen ? { lane } : {}),
    ...(session.model === undefined ? { model } : {}),
  };
  if (Object.keys(changes).length === 0) return;
  // The turn runs by now. A session that stays without a title is still a session.
  await engine.store.updateSession(session.id, changes).catch((reason: unknown) => onError?.(CaretError.from(reason)));
}
