import type { FoundPlace, SaidKind } from "@caret/protocol";

/** As what something was said, for people. */
export const saidWords: Readonly<Record<SaidKind, string>> = {
  prompt: "You asked",
  answer: "Answer",
  thinking: "Thinking",
  plan: "Plan",
  question: "Question",
  steering: "You said meanwhile",
  call: "Call",
};

/** The session, opened where it was said. */
export function placeHref({ sessionId, seq }: Pick<FoundPlace, "sessionId" | "seq">): string {
  return `/s/${sessionId}/at/${seq}`;
}

/** The screen that shows what was said with these words. Encoded twice, because the router decodes a part of it once. */
export function searchHref(query: string): string {
  return `/search/${encodeURIComponent(encodeURIComponent(query))}`;
}

/** What an address asks for. */
export function queryOf(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // Written by hand, with a percent sign: then it is meant as it stands.
    return part;
  }
}
