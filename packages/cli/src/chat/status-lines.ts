import { turnTimes } from "@caret/protocol";
import { truncateToWidth } from "@earendil-works/pi-tui";
import { elapsedText } from "../terminal/amount-text.ts";
import type { Look } from "../terminal/look.ts";
import { cleanLine } from "../terminal/text-cleaner.ts";
import { waitingFor } from "../terminal/waiting-for.ts";
import type { ChatSession } from "./chat-session.ts";
import { momentOf } from "./turn-moment.ts";

const SPINNER_MS = 100;

type Chat = Pick<
  ChatSession,
  | "running"
  | "isStarting"
  | "isStopping"
  | "connection"
  | "queue"
  | "model"
  | "mode"
  | "permission"
  | "view"
  | "workspace"
>;

/** What the session is doing and what its queue holds; empty while idle. */
export function activityLines(chat: Chat, look: Look, { columns, now }: { columns: number; now: number }): string[] {
  const { style, glyphs } = look;
  const when = chat.running === undefined && !chat.isStarting ? "held until /queue send" : "after this turn";
  const waiting = chat.queue.prompts.map(
    ({ text, mode }, index) => `  ${index + 1}. ${when}${mode === undefined ? "" : ` (${mode})`}: ${cleanLine(text)}`,
  );
  const problem = chat.queue.problem === undefined ? [] : [`  ${cleanLine(chat.queue.problem)}`];
  const queued = [...waiting.map(style.dim), ...problem.map(style.yellow)].map((line) =>
    truncateToWidth(line, columns, glyphs.ellipsis),
  );
  const words = activityOf(chat, look, { columns, now });
  return words === undefined ? queued : [...queued, truncateToWidth(style.dim(words), columns, glyphs.ellipsis)];
}

function activityOf(
  chat: Chat,
  { glyphs }: Look,
  { columns, now }: { readonly columns: number; readonly now: number },
): string | undefined {
  const turn = chat.running;
  if (turn === undefined && chat.connection === "open") return chat.isStarting ? "starting" : undefined;
  const frame = glyphs.spinner[Math.floor(now / SPINNER_MS) % glyphs.spinner.length] ?? "";
  if (chat.connection === "reconnecting") return `${frame} the gateway does not answer: reconnecting`;
  if (turn === undefined) return undefined;
  const elapsed = elapsedText(turnTimes({ ...turn, lastAt: now }).workedMs);
  const head = `${frame} ${elapsed} ${glyphs.separator} `;
  const tail = chat.isStopping ? "" : ` ${glyphs.separator} Esc stops it`;
  const room = columns - head.length - tail.length;
  return `${head}${waitingFor(momentOf(turn, now, chat.isStopping), room, glyphs.ellipsis)}${tail}`;
}

/** Settings and place of the next turn. */
export function settingLine(chat: Chat, { style, glyphs }: Look, { columns, home }: { columns: number; home: string }) {
  const { view, workspace } = chat;
  const place = workspace === home || workspace.startsWith(`${home}/`) ? `~${workspace.slice(home.length)}` : workspace;
  const words = [
    ...(chat.mode === "agent" ? [] : [`${chat.mode} mode`]),
    `model ${chat.model ?? "auto"}`,
    `permission ${chat.permission}`,
    ...(view?.agent === undefined ? [] : [`agent ${view.agent}`]),
    place,
    "/help",
  ];
  return truncateToWidth(style.dim(words.map(cleanLine).join(` ${glyphs.separator} `)), columns, glyphs.ellipsis);
}
