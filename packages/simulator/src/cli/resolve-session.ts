import { findRecentChat, hasChat, requireChatId } from "../chat/find-chat.ts";
import type { GlobalOptions } from "../config/global-options.ts";
import { CliFailure } from "../process/cli-failure.ts";
import type { Ids } from "../process/ids.ts";

export interface SessionChoice {
  readonly options: Pick<GlobalOptions, "resume" | "continue" | "newSessionId">;
  readonly chatsDir: string;
  readonly ids: Ids;
}

/** The id of the chat to go on with, or of a new one. */
export function resolveSession({ options, chatsDir, ids }: SessionChoice): string {
  const { resume, newSessionId } = options;
  if (options.continue === true || resume === true) return recent(chatsDir, 1);
  if (resume !== undefined) {
    const back = /^-(\d+)$/.exec(resume)?.[1];
    return back === undefined ? requireChatId(resume) : recent(chatsDir, Number(back));
  }
  if (newSessionId !== undefined) return requireNewId(requireChatId(newSessionId), chatsDir);
  return freshSessionId(chatsDir, ids);
}

/** An id is good for one new chat, once. */
function requireNewId(id: string, chatsDir: string): string {
  if (hasChat(chatsDir, id)) throw new CliFailure(`Error: Session ID "${id}" is already in use.`);
  return id;
}

/** A seed gives the same ids to every invocation, so those already taken are passed over. */
export function freshSessionId(chatsDir: string, ids: Ids): string {
  for (;;) {
    const id = ids.uuid();
    if (!hasChat(chatsDir, id)) return id;
  }
}

function recent(chatsDir: string, back: number): string {
  const id = findRecentChat(chatsDir, back);
  if (id === undefined) throw new CliFailure("No previous chats found.");
  return id;
}
