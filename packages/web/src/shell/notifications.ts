import type { SessionView } from "@caret/protocol";
import { statusWords } from "../parts/status-dot.tsx";

export interface SessionNotice {
  readonly sessionId: string;
  readonly title: string;
  readonly text: string;
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
    notices.push({ sessionId, title: title || "Untitled", text: `${statusWords(status)}: ${detail}` });
  }
  return notices;
}

function isNewlyQuiet(old: SessionView["status"], status: SessionView["status"]): boolean {
  if (status.kind === "waiting")
    return status.waitsFor !== "client" && !(old.kind === "waiting" && old.since === status.since);
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

export function showNotice({ sessionId, title, text }: SessionNotice): void {
  if (!("Notification" in globalThis) || Notification.permission !== "granted") return;
  try {
    // The same tag in all tabs: it is shown once.
    const notice = new Notification(title, { body: text, tag: sessionId, icon: "./icon-192.png" });
    notice.onclick = () => {
      focus();
      location.hash = `#/s/${sessionId}`;
      notice.close();
    };
  } catch {
    // Phones allow them to service workers only; the page's title and badge still show it.
  }
}
