import type { AgentEventOf, TranscriptTurn } from "@caret/protocol";
import { Pencil } from "lucide-react";
import { memo, useEffect, useState } from "react";
import { useModels } from "../data/page-hooks.ts";
import { IconButton } from "../parts/button.tsx";
import { TimeAgo } from "../parts/time-ago.tsx";
import { useRemembered } from "./card.tsx";
import { PromptEditor } from "./prompt-editor.tsx";
import { useTranscriptActions } from "./transcript-actions.ts";
import { modeLabels } from "./turn-modes.ts";

const LONG_LINES = 10;
const LONG_LENGTH = 900;
const noImages = [] as const;

/** What was asked, when, and of which model. */
export const TurnPrompt = memo(
  ({ turn }: { readonly turn: TranscriptTurn }) => {
    const { resend } = useTranscriptActions();
    const models = useModels();
    const [isEditing, setEditing] = useState(false);
    if (turn.start === undefined)
      return <p className="px-2 text-[13px] text-faint">The beginning of this turn is not loaded yet.</p>;
    const model = turn.ready?.model ?? models?.find(({ id }) => id === turn.start?.model)?.name ?? turn.start.model;
    const { lane, laneReason, prompt = "" } = turn.start;
    return (
      <section aria-label="Prompt" className="mt-4 rounded-lg border border-line bg-panel px-3 py-2">
        <div className="flex items-baseline gap-2 text-[12px] text-faint">
          <h2 className="font-medium text-soft">You</h2>
          <TimeAgo at={turn.startedAt} />
          <span className="ml-auto truncate">
            {laneReason !== undefined && `${lane} lane: ${laneReason} · `}
            {turn.start.mode !== undefined && `${modeLabels[turn.start.mode]} · `}
            {model}
          </span>
          {resend !== undefined && prompt !== "" && !isEditing && (
            <IconButton
              className="-my-2 -mr-2 self-center"
              icon={<Pencil aria-hidden="true" size={14} />}
              label="Edit this prompt"
              onClick={() => setEditing(true)}
            />
          )}
        </div>
        {isEditing ? (
          <PromptEditor turn={turn} text={prompt} onClose={() => setEditing(false)} />
        ) : (
          <PromptText text={prompt} name={`prompt ${turn.turnId}`} />
        )}
        <TurnImages images={turn.start.images ?? noImages} />
      </section>
    );
  },
  (before, after) =>
    before.turn.start === after.turn.start &&
    before.turn.ready === after.turn.ready &&
    before.turn.startedAt === after.turn.startedAt,
);

function PromptText({ text, name }: { readonly text: string; readonly name: string }) {
  const [isAll, setAll] = useRemembered(name, false);
  const isLong = text.length > LONG_LENGTH || text.split("\n", LONG_LINES + 1).length > LONG_LINES;
  if (text === "") return <p className="text-faint">The prompt was not recorded.</p>;
  return (
    <>
      <p className={`whitespace-pre-wrap [overflow-wrap:anywhere] ${isLong && !isAll ? "line-clamp-6" : ""}`}>{text}</p>
      {isLong && (
        <button
          type="button"
          aria-expanded={isAll}
          onClick={() => setAll(!isAll)}
          className="min-h-7 cursor-pointer text-[12px] text-soft underline decoration-line underline-offset-2 hover:text-ink max-md:min-h-10"
        >
          {isAll ? "Show less" : "Show all"}
        </button>
      )}
    </>
  );
}

type TurnImage = NonNullable<AgentEventOf<"turn-start">["images"]>[number];

/** The pictures that came with a prompt. */
function TurnImages({ images }: { readonly images: readonly TurnImage[] }) {
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
