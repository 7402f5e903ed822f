import type { TranscriptTurn } from "@caret/protocol";
import { useMemo, useRef } from "react";

/** What was asked in the session, the newest first, each once where it was asked several times in a row. */
export function formerPrompts(turns: readonly TranscriptTurn[]): readonly string[] {
  const prompts = turns.flatMap(({ start }) => (start?.prompt === undefined ? [] : [start.prompt]));
  return prompts.filter((prompt, index) => prompt !== prompts[index + 1]).reverse();
}

/** A place among former prompts: -1 is what was being written. */
interface Browsing {
  readonly at: number;
  readonly draft: string;
}

/** Where `↑` and `↓` lead from here; undefined: they move the caret as ever. */
export function stepThrough(
  prompts: readonly string[],
  text: string,
  { at, draft }: Browsing,
  key: string,
): { readonly browsing: Browsing; readonly text: string } | undefined {
  const isBrowsing = at >= 0 && prompts[at] === text;
  const from = isBrowsing ? at : -1;
  const kept = isBrowsing ? draft : text;
  // A prompt that is being written is not replaced by a key that was meant for the caret.
  if (!isBrowsing && (key !== "ArrowUp" || text !== "")) return undefined;
  const to = key === "ArrowUp" ? from + 1 : from - 1;
  if (to === -1) return { browsing: { at: -1, draft: "" }, text: kept };
  const prompt = prompts[to];
  return prompt === undefined ? undefined : { browsing: { at: to, draft: kept }, text: prompt };
}

/** `↑` in an empty prompt brings back the last one, further `↑` older ones, `↓` leads back. Says whether the key was for it. */
export function usePromptHistory(prompts: readonly string[], text: string, onChange: (text: string) => void) {
  const browsing = useRef<Browsing>({ at: -1, draft: "" });
  return useMemo(
    () => (key: string, area: HTMLTextAreaElement | null) => {
      if (area === null || (key !== "ArrowUp" && key !== "ArrowDown") || !isAtEdge(area, key)) return false;
      const step = stepThrough(prompts, text, browsing.current, key);
      if (step === undefined) return false;
      browsing.current = step.browsing;
      onChange(step.text);
      return true;
    },
    [prompts, text, onChange],
  );
}

/** In the first line for `↑`, in the last for `↓`: elsewhere the keys move between lines. */
function isAtEdge({ value, selectionStart, selectionEnd }: HTMLTextAreaElement, key: string): boolean {
  if (selectionStart !== selectionEnd) return false;
  return key === "ArrowUp" ? !value.slice(0, selectionStart).includes("\n") : !value.slice(selectionEnd).includes("\n");
}
