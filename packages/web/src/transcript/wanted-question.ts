import { type RefObject, useEffect } from "react";

const WANTED = "caret-question-wanted";

/** The question that a person wants to answer, until its card has taken the focus. */
let wanted: string | undefined;

/** A notification was pressed: the card of this question takes the focus, now or when it is there. */
export function wantQuestion(requestId: string): void {
  wanted = requestId;
  dispatchEvent(new Event(WANTED));
}

/** The question that the page was opened for, once: the address forgets it. */
export function takeWantedQuestion(): void {
  const url = new URL(location.href);
  const requestId = url.searchParams.get("question");
  if (requestId === null) return;
  url.searchParams.delete("question");
  history.replaceState(null, "", url);
  wantQuestion(requestId);
}

/** Gives the first field of a question's card the focus when it is wanted. */
export function useWantedFocus(requestId: string, card: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const take = (): void => {
      if (wanted !== requestId) return;
      wanted = undefined;
      card.current?.scrollIntoView({ block: "nearest" });
      card.current?.querySelector<HTMLElement>("input")?.focus();
    };
    take();
    addEventListener(WANTED, take);
    return () => removeEventListener(WANTED, take);
  }, [requestId, card]);
}
