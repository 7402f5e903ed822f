import { FileUp } from "lucide-react";
import { type DragEvent, useId, useState } from "react";
import { useLocation } from "wouter";
import { usePageData } from "../data/page-data-context.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { ErrorNote, toErrorInfo } from "../parts/error-note.tsx";
import { Spinner } from "../parts/placeholders.tsx";

/** Takes an exported session and opens it as a new one. */
export function ImportDialog({ onClose }: { readonly onClose: () => void }) {
  const { api, put } = usePageData();
  const [, go] = useLocation();
  const [name, setName] = useState<string>();
  const [error, setError] = useState<unknown>();
  const take = (file: File | null | undefined): void => {
    if (file === null || file === undefined) return;
    setName(file.name);
    setError(undefined);
    api.importSession(file).then(
      (session) => {
        put(session);
        onClose();
        go(`/s/${session.id}`);
      },
      (reason: unknown) => {
        setName(undefined);
        setError(reason);
      },
    );
  };
  return (
    <Dialog onClose={onClose} title="Import a session">
      <div className="grid gap-3">
        <p className="text-soft">
          Takes a session that was exported as “Replayable NDJSON”, here or on another machine. It opens as a new one.
        </p>
        {name === undefined ? (
          <DropField onFile={take} />
        ) : (
          <p className="flex items-center gap-2 py-4" role="status">
            <Spinner /> <span className="truncate">Reading {name}…</span>
          </p>
        )}
        {error !== undefined && <ErrorNote error={toErrorInfo(error)} />}
      </div>
    </Dialog>
  );
}

/** The whole field is the label of a file chooser, so that pressing it, dropping on it and the keyboard all work. */
function DropField({ onFile }: { readonly onFile: (file: File | null | undefined) => void }) {
  const id = useId();
  const [isOver, setOver] = useState(false);
  const drag = (over: boolean) => (event: DragEvent) => {
    event.preventDefault();
    setOver(over);
  };
  return (
    <label
      className={`flex min-h-28 cursor-pointer flex-col items-center justify-center gap-1 rounded-md border border-dashed px-4 py-4 text-center focus-within:outline-2 focus-within:outline-accent ${isOver ? "border-accent bg-accent/5" : "border-line hover:bg-panel"}`}
      htmlFor={id}
      onDragLeave={drag(false)}
      onDragOver={drag(true)}
      onDrop={(event) => {
        drag(false)(event);
        onFile(event.dataTransfer.files.item(0));
      }}
    >
      <FileUp aria-hidden="true" className="text-faint" size={20} />
      <span className="font-medium">Drop an .ndjson file here, or choose one</span>
      <input
        accept=".ndjson,.jsonl,application/x-ndjson"
        className="sr-only"
        id={id}
        onChange={(event) => onFile(event.target.files?.item(0))}
        type="file"
      />
    </label>
  );
}
