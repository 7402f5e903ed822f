import { CaretError } from "@caret/protocol";
import type { SessionRecord } from "../engine/event-store.ts";

/** The place of a session in the list, which is ordered by last update and then by id. */
export interface SessionCursor {
  readonly updatedAt: number;
  readonly id: string;
}

export function toCursorText({ updatedAt, id }: SessionRecord): string {
  return `${updatedAt}:${id}`;
}

export function fromCursorText(text: string): SessionCursor {
  const [, updatedAt, id] = /^(\d{1,15}):(.+)$/su.exec(text) ?? [];
  if (updatedAt === undefined || id === undefined)
    throw new CaretError("invalid-request", "This is not a place in the list of sessions");
  return { updatedAt: Number(updatedAt), id };
}
