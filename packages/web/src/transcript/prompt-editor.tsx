import type { TranscriptTurn } from "@caret/protocol";
import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from "react";
import { Button } from "../parts/button.tsx";
import { TextArea } from "../parts/field.tsx";
import { useCommand, useTranscriptActions } from "./transcript-actions.ts";

const MAX_ROWS = 12;

interface PromptEditorProps {
  readonly turn: TranscriptTurn;
  readonly text: string;
  readonly onClose: () => void;
}

/** A former prompt, to be asked otherwise. */
export function PromptEditor({ turn, text: before, onClose }: PromptEditorProps) {
  const { resend } = useTranscriptActions();
  const [text, setText] = useState(before);
  const { run, isBusy, failure } = useCommand();
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    // The list keeps its place when a row grows, and would leave the field above what is in sight.
    const frame = requestAnimationFrame(() => form.current?.scrollIntoView({ block: "nearest" }));
    return () => cancelAnimationFrame(frame);
  }, []);
  const canSend = text.trim() !== "" && !isBusy;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (canSend) run(async () => resend?.(turn, text.trim()));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit(event);
    if (event.key !== "Escape") return;
    event.stopPropagation();
    onClose();
  };
  return (
    <form className="flex flex-col gap-2 py-1" data-own-keys="" onSubmit={submit} ref={form}>
      <TextArea
        aria-label="Former prompt"
        autoFocus
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
        rows={Math.min(MAX_ROWS, text.split("\n").length + 1)}
        value={text}
      />
      <p className="text-[12px] text-soft">
        It is sent in a fork of this session that has everything before this prompt. The files stay as they are now.
      </p>
      <div className="flex gap-2">
        <Button tone="primary" type="submit" disabled={!canSend}>
          Send in a fork
        </Button>
        <Button tone="quiet" onClick={onClose}>
          Cancel
        </Button>
      </div>
      {failure !== undefined && (
        <p role="alert" className="text-[13px] text-bad">
          {failure}
        </p>
      )}
    </form>
  );
}
