import type { PermissionWord, SessionStatus, SessionView } from "@caret/protocol";
import type { SessionRecord } from "../engine/event-store.ts";
import type { OpenAsk, RunningTurn } from "../engine/session-engine.ts";

export interface SessionViewOptions {
  /** The turn of the session that this process runs. */
  readonly turn: RunningTurn | undefined;
  /** The session's last turn is ours, although it no longer runs: its end has yet to be written. */
  readonly isUnended: boolean;
  readonly defaultPermission: PermissionWord;
}

export function toSessionView(session: SessionRecord, options: SessionViewOptions): SessionView {
  const { id, title, workspace, lane, model, permission, createdAt, updatedAt, archived, imported, usage } = session;
  return {
    id,
    title: title ?? "",
    workspace,
    ...(lane === undefined ? {} : { lane }),
    ...(model === undefined ? {} : { model }),
    permission: permission ?? options.defaultPermission,
    createdAt,
    updatedAt,
    archived,
    ...(imported === undefined ? {} : { imported }),
    ...(usage === undefined ? {} : { usage }),
    lastSeq: session.lastSeq,
    lastLine: session.lastLine ?? "",
    status: statusOf(session, options),
  };
}

function statusOf({ lastTurn }: SessionRecord, { turn, isUnended }: SessionViewOptions): SessionStatus {
  if (lastTurn === undefined) return { kind: "idle" };
  const { turnId, at, outcome } = lastTurn;
  if (outcome !== undefined) return { kind: "ended", turnId, at, outcome };
  const running = { kind: "running", turnId, since: at } as const;
  if (turn?.turnId !== turnId) return isUnended ? running : { ...running, elsewhere: true };
  const wait = waitOf(turn, at);
  return wait === undefined ? running : { kind: "waiting", turnId, ...wait };
}

type Wait = Pick<Extract<SessionStatus, { readonly kind: "waiting" }>, "since" | "waitsFor" | "about" | "approval">;

/** A list of sessions is sent often: what is larger is decided in the session itself. */
const MAX_LISTED_APPROVAL = 16_384;

function waitOf({ asks, parked }: RunningTurn, startedAt: number): Wait | undefined {
  const [ask] = asks.open();
  if (ask !== undefined) return { waitsFor: ask.kind, about: ask.about, since: ask.since, ...listedApproval(ask) };
  const [call] = parked?.open() ?? [];
  return call === undefined ? undefined : { waitsFor: "client", about: call.name, since: startedAt };
}

function listedApproval({ request }: OpenAsk): Pick<Wait, "approval"> {
  const isListed = request.type === "approval-request" && JSON.stringify(request).length <= MAX_LISTED_APPROVAL;
  return isListed ? { approval: request } : {};
}
