import type { FoundPlace } from "@caret/protocol";
import { Search } from "lucide-react";
import { useState } from "react";
import { Link, useLocation } from "wouter";
import { Button } from "../parts/button.tsx";
import { ErrorNote } from "../parts/error-note.tsx";
import { TextInput } from "../parts/field.tsx";
import { shortPath } from "../parts/place-words.ts";
import { Empty, Spinner } from "../parts/placeholders.tsx";
import { TimeAgo } from "../parts/time-ago.tsx";
import { ScreenFrame } from "../screen/screen-frame.tsx";
import { ExcerptText } from "./excerpt-text.tsx";
import { placeHref, saidWords, searchHref } from "./found-place.ts";
import { type Said, useSaid } from "./use-said.ts";

/** Everything that was said in any session, by its words. */
export function SearchScreen({ query = "" }: { readonly query?: string }) {
  const [typed, setTyped] = useState(query);
  const [, navigate] = useLocation();
  const said = useSaid(typed);
  return (
    <ScreenFrame
      about="Prompts, answers, plans, questions and the commands of calls, the newest first. Quotes keep words together."
      title="Search"
    >
      <search>
        <form
          className="relative mb-4"
          onSubmit={(event) => {
            event.preventDefault();
            // The address then leads back here.
            navigate(searchHref(typed), { replace: true });
          }}
        >
          <span className="pointer-events-none absolute inset-y-0 left-2.5 flex items-center text-faint">
            {said.isLoading ? <Spinner /> : <Search aria-hidden="true" size={14} />}
          </span>
          <TextInput
            aria-label="Search what was said"
            autoFocus
            className="pl-8"
            onChange={(event) => setTyped(event.target.value)}
            placeholder="What was said"
            type="search"
            value={typed}
          />
        </form>
      </search>
      <Found said={said} typed={typed} />
    </ScreenFrame>
  );
}

function Found({ said, typed }: { readonly said: Said; readonly typed: string }) {
  const { places, behind, isLoading, error, more } = said;
  if (error !== undefined) return <ErrorNote error={error.toInfo()} />;
  return (
    <>
      {places.length === 0 && !isLoading && typed.trim() !== "" && (
        <Empty title="Nothing was said with these words">
          What tools print and what files hold is not searched. Try fewer words, or their beginnings.
        </Empty>
      )}
      <ul aria-label="Places" className="divide-y divide-line rounded-lg border border-line bg-raised empty:hidden">
        {places.map((place) => (
          <Place key={`${place.sessionId} ${place.seq}`} place={place} />
        ))}
      </ul>
      {more !== undefined && (
        <div className="mt-4 flex justify-center">
          <Button onClick={more}>Show older places</Button>
        </div>
      )}
      {behind > 0 && (
        <p className="mt-4 text-[12px] text-faint" role="status">
          {behind === 1 ? "One session is" : `${behind} sessions are`} still being indexed.
        </p>
      )}
    </>
  );
}

function Place({ place }: { readonly place: FoundPlace }) {
  const { title, workspace, archived, kind, at, excerpt } = place;
  return (
    <li>
      <Link className="block px-4 py-2.5 hover:bg-ink/3" href={placeHref(place)}>
        <span className="flex items-baseline gap-2">
          <span className="min-w-0 flex-1 truncate font-medium">{title || "Untitled"}</span>
          <span className="shrink-0 text-[12px] text-faint">
            <TimeAgo at={at} />
          </span>
        </span>
        <span className="line-clamp-3 text-soft [overflow-wrap:anywhere]">
          <ExcerptText excerpt={excerpt} />
        </span>
        <span className="block truncate text-[12px] text-faint">
          {saidWords[kind]} · {shortPath(workspace)}
          {archived && " · archived"}
        </span>
      </Link>
    </li>
  );
}
