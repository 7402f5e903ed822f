import { isJsonObject, type SessionView } from "@caret/protocol";
import { isForPerson } from "../data/session-list.ts";
import { statusWords } from "../parts/status-dot.tsx";

export interface SessionNotice {
  readonly sessionId: string;
  readonly title: string;
  readonly text: string;
  /** The approval that can be decided from the notification: all of it is in the text. */
  readonly requestId?: string;
}

/** What a person who is not looking is notified of: turns that began to wait for a person, and turns that ended. */
export function noticesBetween(
  before: ReadonlyMap<string, SessionView>,
  after: ReadonlyMap<string, SessionView>,
): readonly SessionNotice[] {
  const notices: SessionNotice[] = [];
  for (const [sessionId, { status, title, lastLine, asksSince }] of after) {
    const known = before.get(sessionId);
    if (known !== undefined && asksSince !== undefined && known.asksSince === undefined)
      notices.push({ sessionId, title: title || "Untitled", text: "Asks you something" });
    const old = known?.status;
    if (old === undefined || !isNewlyQuiet(old, status)) continue;
    const detail = status.kind === "waiting" ? status.about : lastLine;
    const text = `${statusWords(status)}: ${detail}`;
    notices.push({ sessionId, title: title || "Untitled", text, ...decidable(status) });
  }
  return notices;
}

/** More than this, notifications cut. */
const MOST_SHOWN = 100;

/** Nothing is approved that was not seen: a command that is shown whole, and is not dangerous. */
function decidable(status: SessionView["status"]): Pick<SessionNotice, "requestId"> {
  if (status.kind !== "waiting" || status.approval === undefined || status.about.length > MOST_SHOWN) return {};
  const { requestId, input, danger, diff } = status.approval;
  const isShown = isJsonObject(input) && Object.values(input).every((value) => status.about.endsWith(String(value)));
  return isShown && danger === undefined && diff === undefined ? { requestId } : {};
}

function isNewlyQuiet(old: SessionView["status"], status: SessionView["status"]): boolean {
  if (status.kind === "waiting") return isForPerson(status) && !(old.kind === "waiting" && old.since === status.since);
  // Who stopped it knows that it stopped.
  if (status.kind !== "ended" || status.outcome === "cancelled") return false;
  return old.kind !== "ended" || old.turnId !== status.turnId;
}

export function canAskToNotify(): boolean {
  return "Notification" in globalThis && Notification.permission === "default";
}

/** Only called when the user pressed a button. Answers in words. */
export async function askToNotify(): Promise<string> {
  const answer = await Notification.requestPermission();
  return answer === "granted"
    ? "You will be notified while this page is in the background"
    : "The browser does not allow notifications for this page";
}

/** Through the service worker where there is one: only its notifications have buttons, and phones allow no others. */
export async function showNotice(notice: SessionNotice): Promise<void> {
  if (!("Notification" in globalThis) || Notification.permission !== "granted") return;
  const { sessionId, title, text, requestId } = notice;
  // The same tag in all tabs: it is shown once.
  const look = { body: text, tag: sessionId, icon: "./icon-192.png", data: { sessionId, requestId } };
  const worker = await navigator.serviceWorker?.getRegistration();
  if (worker?.active) await worker.showNotification(title, requestId === undefined ? look : { ...look, ...buttons });
  else showPlainly(title, look);
}

const buttons = {
  actions: [
    { action: "approved", title: "Approve" },
    { action: "rejected", title: "Deny" },
  ],
};

function showPlainly(title: string, look: NotificationOptions & { readonly tag: string }): void {
  try {
    const notice = new Notification(title, look);
    notice.onclick = () => {
      focus();
      location.hash = `#/s/${look.tag}`;
      notice.close();
    };
  } catch {
    // Phones allow them to service workers only; the page's title and badge still show it.
  }
}

/** What was pressed in a notification: one of its buttons, or the rest of it. */
export type PressedNotice =
  | { readonly kind: "open"; readonly sessionId: string }
  | {
      readonly kind: "decision";
      readonly sessionId: string;
      readonly requestId: string;
      readonly decision: "approved" | "rejected";
    };

/** What the service worker says was pressed; undefined: the message is about something else. */
export function pressedNotice(message: unknown): PressedNotice | undefined {
  if (!isJsonObject(message)) return undefined;
  const { kind, sessionId, requestId, decision } = message;
  if (typeof sessionId !== "string") return undefined;
  if (kind === "open") return { kind, sessionId };
  if (kind !== "decision" || typeof requestId !== "string") return undefined;
  return decision === "approved" || decision === "rejected" ? { kind, sessionId, requestId, decision } : undefined;
}
