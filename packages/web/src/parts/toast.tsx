import { X } from "lucide-react";
import { useEffect } from "react";
import { useStore } from "zustand";
import { createStore } from "zustand/vanilla";
import { IconButton } from "./button.tsx";
import { toErrorInfo } from "./error-note.tsx";
import { Words } from "./field.tsx";

interface Note {
  readonly id: number;
  readonly text: string;
  readonly fix?: string;
  readonly tone: "plain" | "bad";
}

const SHOWN_MS = 5000;
const notes = createStore<readonly Note[]>(() => []);
let lastId = 0;

/** Say something in passing. What must not be missed belongs where it happened. */
export function showToast(text: string): void {
  add({ text, tone: "plain" });
}

/** For commands that have no place of their own to say what went wrong. */
export function showError(reason: unknown): void {
  const { code, message, fix } = toErrorInfo(reason);
  if (code !== "cancelled") add({ text: message, fix, tone: "bad" });
}

function add(note: Omit<Note, "id">): void {
  lastId++;
  notes.setState([...notes.getState().slice(-2), { ...note, id: lastId }], true);
}

function dismiss(id: number): void {
  notes.setState(
    notes.getState().filter((note) => note.id !== id),
    true,
  );
}

/** Where toasts are shown: once on the page. */
export function Toasts() {
  const shown = useStore(notes);
  return (
    <div
      aria-live="polite"
      className="pointer-events-none fixed inset-x-0 bottom-16 z-40 flex flex-col items-center gap-2 px-4 md:bottom-4"
    >
      {shown.map((note) => (
        <Toast key={note.id} note={note} />
      ))}
    </div>
  );
}

function Toast({ note }: { readonly note: Note }) {
  useEffect(() => {
    const timer = setTimeout(dismiss, note.tone === "bad" ? 2 * SHOWN_MS : SHOWN_MS, note.id);
    return () => clearTimeout(timer);
  }, [note]);
  return (
    <div
      className={`pointer-events-auto flex max-w-lg items-start gap-2 rounded-md border bg-raised py-1 pr-1 pl-3 shadow-lg ${note.tone === "bad" ? "border-bad/50" : "border-line"}`}
    >
      <div className="py-1.5 text-[13px] [overflow-wrap:anywhere]">
        <p className={note.tone === "bad" ? "text-bad" : ""}>{note.text}</p>
        {note.fix !== undefined && (
          <p className="text-soft">
            <Words text={note.fix} />
          </p>
        )}
      </div>
      <IconButton icon={<X aria-hidden="true" size={14} />} label="Dismiss" onClick={() => dismiss(note.id)} />
    </div>
  );
}
