import type { FoundPlace } from "@caret/protocol";
import { ChevronDown, ChevronUp, X } from "lucide-react";
import { type KeyboardEvent, useEffect, useState } from "react";
import { useApi } from "../data/page-hooks.ts";
import { IconButton } from "../parts/button.tsx";
import { TextInput } from "../parts/field.tsx";
import { showError } from "../parts/toast.tsx";

const TYPING_MS = 200;
/** As many as the gateway gives at once: nobody steps through more. */
const MOST = 100;
const icon = { "aria-hidden": true, size: 16 } as const;

interface FindBarProps {
  readonly sessionId: string;
  readonly onShow: (seq: number) => void;
  readonly onClose: () => void;
}

/** Finds words in the whole session, also in what is not loaded. Enter goes to the next place, Shift+Enter to the one before. */
export function FindBar({ sessionId, onShow, onClose }: FindBarProps) {
  const [typed, setTyped] = useState("");
  const [chosen, setChosen] = useState(0);
  const places = usePlaces(sessionId, typed);
  const show = (index: number): void => {
    const place = places?.[(index + places.length) % places.length];
    if (places === undefined || place === undefined) return;
    setChosen((index + places.length) % places.length);
    onShow(place.seq);
  };
  // The newest is what is nearest to where a session is opened.
  // biome-ignore lint/correctness/useExhaustiveDependencies: new places are what it reacts to
  useEffect(() => {
    if (places !== undefined && places.length > 0) show(places.length - 1);
  }, [places]);
  const press = (event: KeyboardEvent): void => {
    if (event.key === "Escape") onClose();
    else if (event.key === "Enter") show(chosen + (event.shiftKey ? -1 : 1));
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <search
      aria-label="Find in this session"
      className="flex items-center gap-1 border-line border-b bg-panel px-3 py-1 md:px-4"
    >
      <TextInput
        aria-label="Find in this session"
        autoFocus
        className="min-w-0 flex-1"
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={press}
        placeholder="Find in this session"
        type="search"
        value={typed}
      />
      <span aria-live="polite" className="min-w-16 px-1 text-center text-[12px] text-soft tabular-nums">
        {places !== undefined && countWords(chosen, places.length)}
      </span>
      <IconButton icon={<ChevronUp {...icon} />} label="Previous place" onClick={() => show(chosen - 1)} />
      <IconButton icon={<ChevronDown {...icon} />} label="Next place" onClick={() => show(chosen + 1)} />
      <IconButton icon={<X {...icon} />} label="Close" onClick={onClose} />
    </search>
  );
}

function countWords(chosen: number, count: number): string {
  if (count === 0) return "Not found";
  return `${chosen + 1} of ${count}${count === MOST ? "+" : ""}`;
}

/** Oldest first, as they stand in the session. Undefined while nothing is searched for. */
function usePlaces(sessionId: string, typed: string): readonly FoundPlace[] | undefined {
  const api = useApi();
  const [places, setPlaces] = useState<readonly FoundPlace[]>();
  const query = /[\p{L}\p{N}]/u.test(typed) ? typed.trim() : "";
  useEffect(() => {
    if (query === "") return setPlaces(undefined);
    const asking = new AbortController();
    const timer = setTimeout(() => {
      api.search({ query, session: sessionId, limit: MOST }, { signal: asking.signal }).then(
        (found) => setPlaces([...found.places].sort((one, other) => one.seq - other.seq)),
        (reason: unknown) => {
          if (!asking.signal.aborted) showError(reason);
        },
      );
    }, TYPING_MS);
    return () => {
      clearTimeout(timer);
      asking.abort();
    };
  }, [api, sessionId, query]);
  return places;
}
