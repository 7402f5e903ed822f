import { isDeepStrictEqual } from "node:util";
import type { NativeClient } from "@caret/protocol";

const PAGE = 1000;

/** Every event of a session, as JSON, oldest first. */
export async function logOf(caret: NativeClient, sessionId: string): Promise<readonly string[]> {
  const texts: string[] = [];
  for (;;) {
    const { events, lastSeq } = await caret.readLog(sessionId, { after: texts.length, limit: PAGE });
    texts.push(...events.map((event) => JSON.stringify(event)));
    if (texts.length >= lastSeq || events.length === 0) return texts;
  }
}

/** The same in the stored shape of pages for the agent's own stream. */
export async function seedLogOf(caret: NativeClient, sessionId: string): Promise<readonly string[]> {
  const { content } = await caret.exportSession(sessionId, "seed");
  return (await content.text()).split("\n").filter((text) => text !== "");
}

/** The first place at which two sequences of JSON texts differ. The order of an object's keys says nothing. */
export function differenceOf(expected: readonly string[], got: readonly string[]): object | undefined {
  const length = Math.max(expected.length, got.length);
  const index = Array.from({ length }).findIndex((_, at) => !isSame(expected[at], got[at]));
  if (index === -1) return undefined;
  return { index, expected: expected[index], got: got[index], lengths: [expected.length, got.length] };
}

function isSame(one: string | undefined, other: string | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return one === other || isDeepStrictEqual(JSON.parse(one), JSON.parse(other));
}
