import { CaretError, type FleetView } from "@caret/protocol";
import { useEffect } from "react";
import { useApi } from "../data/page-hooks.ts";
import { type Loaded, useLoaded } from "../screen/loaded-view.tsx";

/** From one answer to the next question. */
const EVERY_MS = 5_000;
/** After a failure, so that a screen reader is not interrupted by the same words all the time. */
const AFTER_FAILURE_MS = 15_000;

/** The fleet, read again and again while the page is visible. */
export function useFleet(): Loaded<FleetView> {
  const api = useApi();
  const fleet = useLoaded("fleet", (signal) => api.fleet({ signal }));
  const { isLoading, error, reload } = fleet;
  const isOver = refusalOf(error) !== undefined;
  const waitMs = error === undefined ? EVERY_MS : AFTER_FAILURE_MS;
  useEffect(() => {
    if (isLoading || isOver) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const plan = (): void => {
      timer = document.visibilityState === "visible" ? setTimeout(reload, waitMs) : undefined;
    };
    const onVisibility = (): void => {
      clearTimeout(timer);
      if (document.visibilityState === "visible") reload();
    };
    plan();
    document.addEventListener("visibilitychange", onVisibility);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", onVisibility);
    };
  }, [isLoading, isOver, waitMs, reload]);
  return fleet;
}

export type FleetRefusal = "no-fleet" | "forbidden";

/** Why asking again would not help: there is no fleet, or the token may not see it. */
export function refusalOf(error: unknown): FleetRefusal | undefined {
  if (!CaretError.is(error)) return undefined;
  if (error.code === "not-found") return "no-fleet";
  return error.code === "forbidden" ? "forbidden" : undefined;
}
