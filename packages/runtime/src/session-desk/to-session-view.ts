import type { PermissionWord, SessionStatus, SessionView } from "@caret/protocol";
import type { SessionRecord } from "../engine/event-store.ts";
import type { RunningTurn } from "../engine/session-engine.ts";

export interface SessionViewOptions {
  /** The turn of the session that this process runs. */
  readonly turn: RunningTurn | undefined;
  readonly defaultPermission: PermissionWord;
}

export function toSessionView(session: SessionRecord, { turn, defaultPermission }: SessionViewOptions): SessionView {
  const { id, title, workspace, lane, model, permission, createdAt, updatedAt, archived, imported } = session;
  return {
    id,
    title: title ?? "",
    workspace,
    ...(lane === undefined ? {} : { lane }),
    ...(model === undefined ? {} : { model }),
    permission: permission ?? defaultPermission,
    createdAt,
    updatedAt,
    archived,
    ...(imported === undefined ? {} : { imported }),
    lastSeq: session.lastSeq,
    lastLine: session.lastLine ?? "",
    status: statusOf(session, turn),
  };
}

function statusOf({ lastTurn }: SessionRecord, turn: RunningTurn | undefined): SessionStatus {
  if (lastTurn === undefined) return { kind: "idle" };
  const { turnId, at, outcome } = lastTurn;
  if (outcome !== undefined) return { kind: "ended", turnId, at, outcome };
  const wait = turn?.turnId === turnId ? waitOf(turn, at) : undefined;
  return wait === undefined ? { kind: "running", turnId, since: at } : { kind: "waiting", turnId, ...wait };
}

type Wait = Pick<Extract<SessionStatus, { readonly kind: "waiting" }>, "since" | "waitsFor" | "about">;

function waitOf({ asks, parked }: RunningTurn, startedAt: number): Wait | undefined {
  const [ask] = asks.open();
  if (ask !== undefined) return { waitsFor: ask.kind, about: ask.about, since: ask.since };
  const [call] = parked?.open() ?? [];
  return call === undefined ? undefined : { waitsFor: "client", about: call.name, since: startedAt };
}
