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

/** The list shows a card some frames after it was made, and what is not shown takes no focus. */
const MAX_FRAMES = 120;

/** Gives the first field of a question's card in a transcript the focus when it is wanted. */
export function useWantedFocus(requestId: string, card: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    let frame = 0;
    const take = (left: number): void => {
      if (wanted !== requestId || left === 0 || card.current?.closest(".transcript-scroll") == null) return;
      const field = card.current.querySelector("input");
      card.current.scrollIntoView({ block: "nearest" });
      field?.focus();
      if (document.activeElement === field) wanted = undefined;
      else frame = requestAnimationFrame(() => take(left - 1));
    };
    const onWanted = (): void => take(MAX_FRAMES);
    onWanted();
    addEventListener(WANTED, onWanted);
    return () => {
      cancelAnimationFrame(frame);
      removeEventListener(WANTED, onWanted);
    };
  }, [requestId, card]);
}
