import type { EventEnvelope } from "@caret/protocol";
import { useEffect, useState } from "react";
import { CopyButton } from "../parts/copy-button.tsx";
import { ScrollBox } from "./scroll-box.tsx";
import { useTranscriptActions } from "./transcript-actions.ts";

type Loaded = { readonly event: EventEnvelope | undefined } | { readonly failure: string } | undefined;

/** The line as the agent sent it, fetched when it is asked for. */
export function RawView({ seq }: { readonly seq: number }) {
  const { readRaw } = useTranscriptActions();
  const [loaded, setLoaded] = useState<Loaded>();
  useEffect(() => {
    let isWanted = true;
    readRaw?.(seq).then(
      (event) => isWanted && setLoaded({ event }),
      (error: unknown) => isWanted && setLoaded({ failure: error instanceof Error ? error.message : String(error) }),
    );
    return () => {
      isWanted = false;
    };
  }, [readRaw, seq]);
  if (loaded === undefined) return <p className="px-3 py-2 text-[12px] text-faint">Reading the raw line…</p>;
  if ("failure" in loaded) return <p className="px-3 py-2 text-[12px] text-bad">{loaded.failure}</p>;
  const { raw, rawCut = false } = loaded.event ?? {};
  if (raw === undefined) return <p className="px-3 py-2 text-[12px] text-soft">No raw line is kept for this.</p>;
  return <RawText isCut={rawCut} raw={raw} />;
}

function RawText({ raw, isCut }: { readonly raw: string; readonly isCut: boolean }) {
  return (
    <div className="relative border-line border-t bg-panel">
      <div className="absolute top-1 right-1">
        <CopyButton text={raw} label="Copy raw line" />
      </div>
      <ScrollBox label="Raw line">{prettyJson(raw)}</ScrollBox>
      {isCut && <p className="px-3 pb-2 text-[12px] text-soft">The line was longer; its beginning is kept.</p>}
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
