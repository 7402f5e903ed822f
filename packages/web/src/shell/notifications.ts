import {
  type AgentEventOf,
  approvalView,
  isJsonObject,
  type JsonObject,
  parseJson,
  type QuestionChoice,
  type SessionView,
} from "@caret/protocol";
import { isForPerson } from "../data/session-list.ts";
import { statusWords } from "../parts/status-dot.tsx";

export interface SessionNotice {
  readonly sessionId: string;
  readonly title: string;
  readonly text: string;
  /** What can be decided or answered from the notification: all of it is in the text and on its buttons. */
  readonly ask?: NoticeAsk;
  /** The question that waits, which is given the focus where the session is opened. */
  readonly question?: string;
}

interface NoticeAsk {
  readonly kind: "approval" | "question";
  readonly requestId: string;
  readonly buttons: readonly NoticeButton[];
}

interface NoticeButton {
  /** What the service worker hands back: a decision, or the answer's ids. */
  readonly action: string;
  readonly title: string;
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
    const text = `${statusWords(status)}: ${detailOf(status, lastLine)}`;
    notices.push({ sessionId, title: title || "Untitled", text, ...answerable(status, text) });
  }
  return notices;
}

const waitingForApproval = "Waiting for your approval";

/** Of a question its words, not its title. */
function detailOf(status: SessionView["status"], lastLine: string): string {
  if (status.kind !== "waiting") return lastLine;
  return status.question?.questions[0]?.prompt ?? status.about;
}

/** More than this, notifications cut. */
const MOST_SHOWN = 100;

/** What every platform shows as it is: some read markup in a notification, and letters of other scripts look like these. */
const shownAsIs = /^[\x20-\x7e]*$/;
const markup = /[<>&]/;

/** Browsers show no more buttons than these. */
const MOST_BUTTONS = 2;

function answerable(status: SessionView["status"], text: string): Pick<SessionNotice, "ask" | "question"> {
  if (status.kind !== "waiting") return {};
  const { approval, question } = status;
  const of = question === undefined ? {} : { question: question.requestId };
  if (text.length > MOST_SHOWN) return of;
  const ask = approval === undefined ? answers(question) : decisions(approval, text);
  return ask === undefined ? of : { ...of, ask };
}

/**
 * Nothing is approved that was not seen: the text of the notification is the whole of what is approved, one command of one line in the
 * workspace, which no platform shows in another way. Why it is asked is known from the session.
 */
function decisions(approval: AgentEventOf<"approval-request">, text: string): NoticeAsk | undefined {
  const [command, ...others] = approvalView(approval).parts.filter(({ kind }) => kind !== "reason");
  if (command?.kind !== "command" || others.length > 0 || approval.server !== undefined) return undefined;
  if (!shownAsIs.test(command.text) || markup.test(command.text) || / {2}|^ | $/.test(command.text)) return undefined;
  if (text !== `${waitingForApproval}: Run ${command.text}`) return undefined;
  const buttons = [
    { action: "approved", title: "Approve" },
    { action: "rejected", title: "Deny" },
  ];
  return { kind: "approval", requestId: approval.requestId, buttons };
}

/** One question with so few answers that each has a button. Any other is answered in its session. */
function answers(question: AgentEventOf<"question"> | undefined): NoticeAsk | undefined {
  const [only, ...others] = question?.questions ?? [];
  if (question === undefined || only === undefined || others.length > 0 || only.allowMultiple === true)
    return undefined;
  if (only.options.length === 0 || only.options.length > MOST_BUTTONS) return undefined;
  const buttons = only.options.map(({ id, label }) => ({ action: JSON.stringify([only.id, id]), title: label }));
  return { kind: "question", requestId: question.requestId, buttons };
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
  const { sessionId, title, text, ask, question } = notice;
  // The same tag in all tabs: it is shown once.
  const data = { sessionId, kind: ask?.kind, requestId: ask?.requestId, question, shownAt: Date.now() };
  const look = { body: text, tag: sessionId, icon: "./icon-192.png", data };
  const worker = await navigator.serviceWorker?.getRegistration();
  // Not every browser has buttons, and the types of the platform know only what all have.
  const whole = ask === undefined ? look : { ...look, actions: ask.buttons };
  if (worker?.active) await worker.showNotification(title, whole);
  else showPlainly(title, look);
}

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
  /** With the question that is to have the focus there. */
  | { readonly kind: "open"; readonly sessionId: string; readonly question?: string }
  | {
      readonly kind: "approval";
      readonly sessionId: string;
      readonly requestId: string;
      readonly decision: "approved" | "rejected";
    }
  | {
      readonly kind: "question";
      readonly sessionId: string;
      readonly requestId: string;
      readonly answer: QuestionChoice;
    };

/** A notification takes the place of another one of its session: so long a press may be meant for that. */
const ARM_MS = 500;

/** What the service worker says was pressed; undefined: the message is about something else. */
export function pressedNotice(message: unknown, now: number): PressedNotice | undefined {
  if (!isJsonObject(message)) return undefined;
  const pressed = readPressed(message);
  const { shownAt = 0 } = message;
  const isEarly = typeof shownAt !== "number" || now - shownAt < ARM_MS;
  const isNo = pressed?.kind === "approval" && pressed.decision === "rejected";
  return isEarly && pressed !== undefined && !isNo ? { kind: "open", sessionId: pressed.sessionId } : pressed;
}

function readPressed({ kind, sessionId, requestId, action, question }: JsonObject): PressedNotice | undefined {
  if (typeof sessionId !== "string") return undefined;
  if (kind === "open") return { kind, sessionId, ...(typeof question === "string" && { question }) };
  if (typeof requestId !== "string" || typeof action !== "string") return undefined;
  if (kind === "approval" && (action === "approved" || action === "rejected"))
    return { kind, sessionId, requestId, decision: action };
  const answer = kind === "question" ? answerIn(action) : undefined;
  return answer === undefined ? undefined : { kind: "question", sessionId, requestId, answer };
}

function answerIn(action: string): QuestionChoice | undefined {
  const given = parseJson(action);
  const [questionId, optionId] = Array.isArray(given) ? given : [];
  if (typeof questionId !== "string" || typeof optionId !== "string") return undefined;
  return { questionId, optionIds: [optionId] };
}
