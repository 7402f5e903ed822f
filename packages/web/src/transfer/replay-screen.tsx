import type { EventEnvelope } from "@caret/protocol";
import { ArrowLeft } from "lucide-react";
import { useEffect, useMemo, useRef } from "react";
import { Link } from "wouter";
import { useApi } from "../data/use-api.ts";
import { useSession } from "../data/use-session.ts";
import { Badge } from "../parts/badge.tsx";
import { Empty } from "../parts/empty.tsx";
import { SimulatedBadge } from "../parts/simulated-badge.tsx";
import { NowProvider } from "../parts/use-now.ts";
import { isTyping } from "../screen/is-typing.ts";
import { LoadedView } from "../screen/loaded-view.tsx";
import { useLoaded } from "../screen/use-loaded.ts";
import { Transcript } from "../transcript/transcript.tsx";
import { readWholeLog } from "./read-whole-log.ts";
import { ReplayControls } from "./replay-controls.tsx";
import { planReplay } from "./replay-plan.ts";
import { useReplay } from "./use-replay.ts";

/** A session's log as it happened, at its own pace or faster. Nothing can be answered or sent in it: it is over. */
export function ReplayScreen({ sessionId }: { readonly sessionId: string }) {
  const api = useApi();
  const session = useSession(sessionId);
  const log = useLoaded(`log ${sessionId}`, (signal) => readWholeLog(api, sessionId, signal));
  // By the log and not by the session: one that was imported does not say.
  const isSimulated = log.value?.some(({ event }) => event.type === "turn-start" && event.lane === "sim") ?? false;
  return (
    <div className="flex h-full flex-col">
      <header className="flex min-h-12 items-center gap-3 border-line border-b px-3 md:px-4">
        <Link
          aria-label="Back to the session"
          className="grid size-10 shrink-0 place-items-center rounded-md text-soft hover:bg-panel hover:text-ink md:size-8"
          href={`/s/${sessionId}`}
        >
          <ArrowLeft aria-hidden="true" size={16} />
        </Link>
        <h1 className="min-w-0 truncate font-semibold">{session?.title ?? "Session"}</h1>
        <Badge>Replay</Badge>
        {isSimulated && <SimulatedBadge />}
      </header>
      {log.value === undefined ? (
        <div className="px-4">
          <LoadedView loaded={log} waiting="Reading the whole log">
            {() => null}
          </LoadedView>
        </div>
      ) : (
        <Player events={log.value} />
      )}
    </div>
  );
}

function Player({ events }: { readonly events: readonly EventEnvelope[] }) {
  const plan = useMemo(() => planReplay(events), [events]);
  const replay = useReplay(plan);
  useSpaceKey(replay.toggle);
  if (events.length === 0) return <Empty title="Nothing to replay">Nothing has happened in this session yet.</Empty>;
  return (
    <>
      <NowProvider value={replay.now}>
        <Transcript transcript={replay.transcript} />
      </NowProvider>
      <ReplayControls plan={plan} replay={replay} />
    </>
  );
}

/** Space plays and pauses, unless it means something else where the focus is. */
function useSpaceKey(toggle: () => void): void {
  const newest = useRef(toggle);
  newest.current = toggle;
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const isPressable = event.target instanceof Element && event.target.closest("button, a") !== null;
      if (event.key !== " " || isPressable || isTyping(event.target)) return;
      event.preventDefault();
      newest.current();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}
