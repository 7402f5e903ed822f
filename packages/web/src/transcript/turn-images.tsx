import type { AgentEventOf } from "@caret/protocol";
import { useEffect, useState } from "react";
import { useTranscriptActions } from "./transcript-actions.ts";

type TurnImage = NonNullable<AgentEventOf<"turn-start">["images"]>[number];

/** The pictures that came with a prompt. */
export function TurnImages({ images }: { readonly images: readonly TurnImage[] }) {
  if (images.length === 0) return null;
  return (
    <ul aria-label="Pictures" className="mt-2 flex flex-wrap gap-2">
      {images.map(({ name }, index) => (
        <li key={name}>
          <Picture name={name} label={`Picture ${index + 1}`} />
        </li>
      ))}
    </ul>
  );
}

function Picture({ name, label }: { readonly name: string; readonly label: string }) {
  const url = usePicture(name);
  if (url === undefined)
    return (
      <span className="inline-flex size-20 items-center justify-center rounded border border-line p-1 text-center text-[12px] text-faint">
        {label}
      </span>
    );
  return <img src={url} alt={label} className="size-20 rounded border border-line object-cover" />;
}

/** Undefined until it is there, and where it is not kept: in a fork, or in a session that was imported. */
function usePicture(name: string): string | undefined {
  const { readImage } = useTranscriptActions();
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    let made: string | undefined;
    let isGone = false;
    readImage?.(name)
      .then((blob) => {
        if (isGone) return;
        made = URL.createObjectURL(blob);
        setUrl(made);
      })
      .catch(() => undefined); // the label stands for it
    return () => {
      isGone = true;
      if (made !== undefined) URL.revokeObjectURL(made);
    };
  }, [readImage, name]);
  return url;
}
