import type { RawLine } from "@caret/protocol";
import { useEffect, useState } from "react";
import { CopyButton } from "../parts/copy-button.tsx";
import { ScrollBox } from "./scroll-box.tsx";
import { useTranscriptActions } from "./transcript-actions.ts";

type Loaded = { readonly line: RawLine } | { readonly failure: string } | undefined;

/** The line as the agent sent it, fetched when it is asked for. */
export function RawView({ seq }: { readonly seq: number }) {
  const { readRaw } = useTranscriptActions();
  const [loaded, setLoaded] = useState<Loaded>();
  useEffect(() => {
    let isWanted = true;
    readRaw?.(seq).then(
      (line) => isWanted && setLoaded({ line }),
      (error: unknown) => isWanted && setLoaded({ failure: error instanceof Error ? error.message : String(error) }),
    );
    return () => {
      isWanted = false;
    };
  }, [readRaw, seq]);
  if (loaded === undefined) return <p className="px-3 py-2 text-[12px] text-faint">Reading the raw line…</p>;
  if ("failure" in loaded)
    return <p className="px-3 py-2 text-[12px] text-soft">No raw line is kept for this. {loaded.failure}</p>;
  return <RawText line={loaded.line} />;
}

function RawText({ line }: { readonly line: RawLine }) {
  return (
    <div className="relative border-line border-t bg-panel">
      <div className="absolute top-1 right-1">
        <CopyButton text={line.raw} label="Copy raw line" />
      </div>
      <ScrollBox label="Raw line">{prettyJson(line.raw)}</ScrollBox>
      {line.rawCut && <p className="px-3 pb-2 text-[12px] text-soft">The line was longer; its beginning is kept.</p>}
    </div>
  );
}

/** Indented when it is JSON, as it is otherwise. */
export function prettyJson(text: string): string {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text; // It only looked like JSON, or was cut: then it is shown as it came.
  }
}
