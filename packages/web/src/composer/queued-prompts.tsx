import type { MessageView, SessionView } from "@caret/protocol";
import { Clock, Pencil, Trash2 } from "lucide-react";
import { type FormEvent, useState } from "react";
import { useApi } from "../data/page-hooks.ts";
import { Badge } from "../parts/badge.tsx";
import { Button, IconButton } from "../parts/button.tsx";
import { TextArea } from "../parts/field.tsx";
import { showError } from "../parts/toast.tsx";
import { modeLabels } from "../transcript/turn-modes.ts";
import { useQueue } from "./use-queue.ts";

/** What waits for the turns of the session, in the order in which it is sent. */
export function QueuedPrompts({ session }: { readonly session: SessionView }) {
  const api = useApi();
  const queue = useQueue(session);
  if (queue === undefined || queue.prompts.length === 0) return null;
  const held = heldWords(session) ?? queue.problem;
  return (
    <section aria-label="Queued prompts" className="mb-1 rounded-md border border-line bg-raised text-[13px]">
      <ol>
        {queue.prompts.map((prompt) => (
          <QueuedPrompt key={prompt.id} prompt={prompt} sessionId={session.id} />
        ))}
      </ol>
      {held !== undefined && (
        <p className="flex items-center gap-2 border-line border-t px-2 py-1 text-soft">
          <span className="min-w-0 flex-1">{held}</span>
          <Button
            onClick={() => {
              api.startQueued(session.id).catch(showError);
            }}
          >
            Send next
          </Button>
        </p>
      )}
    </section>
  );
}

/** Why the queue does not go on by itself. */
function heldWords({ status, agent }: SessionView): string | undefined {
  if (agent !== undefined || status.kind !== "ended" || status.outcome === "completed") return undefined;
  return status.outcome === "cancelled" ? "Held: the last turn was stopped." : "Held: the last turn failed.";
}

interface QueuedPromptProps {
  readonly prompt: MessageView;
  readonly sessionId: string;
}

function QueuedPrompt({ prompt, sessionId }: QueuedPromptProps) {
  const api = useApi();
  const [isEditing, setEditing] = useState(false);
  if (isEditing) return <EditedPrompt prompt={prompt} sessionId={sessionId} onClose={() => setEditing(false)} />;
  return (
    <li className="flex items-center gap-2 pl-2">
      <Clock aria-hidden="true" className="shrink-0 text-faint" size={14} />
      <span className="sr-only">Waits:</span>
      <span className="min-w-0 flex-1 truncate" title={prompt.text}>
        {prompt.text}
      </span>
      {prompt.mode !== undefined && <Badge>{modeLabels[prompt.mode]}</Badge>}
      <IconButton
        icon={<Pencil aria-hidden="true" size={14} />}
        label={`Change “${shortened(prompt.text)}”`}
        onClick={() => setEditing(true)}
      />
      <IconButton
        icon={<Trash2 aria-hidden="true" size={14} />}
        label={`Remove “${shortened(prompt.text)}”`}
        onClick={() => {
          api.removeQueued(sessionId, prompt.id).catch(showError);
        }}
      />
    </li>
  );
}

const SHORT = 40;
const MIN_ROWS = 2;
const MAX_ROWS = 8;

function shortened(text: string): string {
  return text.length > SHORT ? `${text.slice(0, SHORT - 1)}…` : text;
}

function EditedPrompt({ prompt, sessionId, onClose }: QueuedPromptProps & { readonly onClose: () => void }) {
  const api = useApi();
  const [text, setText] = useState(prompt.text);
  const save = (event: FormEvent): void => {
    event.preventDefault();
    api.changeQueued(sessionId, prompt.id, { prompt: text.trim() }).then(onClose, showError);
  };
  return (
    <li>
      <form className="flex flex-wrap items-center justify-end gap-2 px-2 py-1 sm:flex-nowrap" onSubmit={save}>
        <TextArea
          aria-label="Queued prompt"
          autoFocus
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== "Escape") return;
            event.stopPropagation();
            onClose();
          }}
          rows={Math.min(MAX_ROWS, Math.max(MIN_ROWS, text.split("\n").length))}
          value={text}
        />
        <Button disabled={text.trim() === ""} type="submit">
          Save
        </Button>
        <Button onClick={onClose} tone="quiet">
          Cancel
        </Button>
      </form>
    </li>
  );
}
