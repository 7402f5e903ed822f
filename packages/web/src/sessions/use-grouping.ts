import { useCallback, useState } from "react";
import type { Grouping } from "./session-groups.tsx";

const KEY = "caret.list.grouping";

/** How this browser groups its list. */
export function useGrouping(): readonly [Grouping, (by: Grouping) => void] {
  const [by, setBy] = useState<Grouping>(() => (localStorage.getItem(KEY) === "workspace" ? "workspace" : "day"));
  const choose = useCallback((next: Grouping) => {
    localStorage.setItem(KEY, next);
    setBy(next);
  }, []);
  return [by, choose];
}
