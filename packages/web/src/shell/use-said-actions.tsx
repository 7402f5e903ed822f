import { isSideCall } from "@caret/protocol";
import { Search, TextQuote } from "lucide-react";
import { useMemo } from "react";
import { plainLine } from "../parts/plain-line.ts";
import { placeHref, searchHref } from "../search/found-place.ts";
import { useSaid } from "../search/use-said.ts";
import type { PaletteAction } from "./palette-action.ts";

const MOST_PLACES = 6;

/** Places where what was typed was said, and the way to all of them. */
export function useSaidActions(typed: string): readonly PaletteAction[] {
  const words = typed.trim();
  const { places } = useSaid(words.length < 3 ? "" : words, MOST_PLACES);
  return useMemo(() => {
    if (words.length < 3) return [];
    const found = places
      .filter((place) => !isSideCall(place))
      .map((place) => ({
        id: `said ${place.sessionId} ${place.seq}`,
        label: plainLine(place.excerpt.text.replaceAll(/\s+/g, " ")),
        detail: place.title || "Untitled",
        icon: <TextQuote aria-hidden="true" size={14} />,
        href: placeHref(place),
      }));
    const all = {
      id: "said all",
      label: `Search what was said: ${words}`,
      icon: <Search aria-hidden="true" size={14} />,
      href: searchHref(words),
    };
    return [...found, all];
  }, [words, places]);
}
