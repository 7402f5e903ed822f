import { type RefObject, useCallback, useEffect, useRef, useState } from "react";
import { type ScrollPlace, staysStuck } from "./stick-to-bottom.ts";

interface StickToBottom {
  /** Whether the end is followed. */
  readonly isStuck: boolean;
  readonly jump: () => void;
}

/** Follows the end of a scrolling element while the reader is there, by one write per change of its height. */
export function useStickToBottom(
  scroller: RefObject<HTMLElement | null>,
  content: RefObject<HTMLElement | null>,
): StickToBottom {
  const stuck = useRef(true);
  const [isStuck, setStuck] = useState(true);
  const set = useCallback((next: boolean) => {
    stuck.current = next;
    setStuck(next);
  }, []);

  useEffect(() => {
    const [element, inner] = [scroller.current, content.current];
    if (element === null || inner === null) return;
    let before = placeOf(element);
    const follow = (): void => {
      if (stuck.current) element.scrollTop = element.scrollHeight;
    };
    const onScroll = (): void => {
      const after = placeOf(element);
      set(staysStuck(stuck.current, before, after));
      before = after;
    };
    const observer = new ResizeObserver(follow);
    observer.observe(inner);
    observer.observe(element);
    element.addEventListener("scroll", onScroll, { passive: true });
    follow();
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", onScroll);
    };
  }, [scroller, content, set]);

  const jump = useCallback(() => {
    set(true);
    if (scroller.current !== null) scroller.current.scrollTop = scroller.current.scrollHeight;
  }, [scroller, set]);
  return { isStuck, jump };
}

function placeOf(element: HTMLElement): ScrollPlace {
  return { top: element.scrollTop, height: element.scrollHeight, viewport: element.clientHeight };
}
