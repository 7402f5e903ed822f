import { expandCommand, type LaneName, type PromptImage } from "@caret/protocol";
import { ImagePlus } from "lucide-react";
import { type ClipboardEvent, type DragEvent, type ReactNode, useId, useMemo, useRef, useState } from "react";
import { IconButton } from "../parts/button.tsx";
import { failureWords } from "../transcript/transcript-actions.ts";
import { type PromptCommand, withoutTwins } from "./prompt-commands.ts";
import { readDraft, writeDraft } from "./prompt-draft.ts";
import { toPromptImages } from "./prompt-images.ts";
import { PromptText } from "./prompt-text.tsx";
import { PromptThumbnails } from "./prompt-thumbnails.tsx";
import { useAgentCommands } from "./use-agent-commands.ts";
import { useDraftImages } from "./use-draft-images.ts";

export interface Prompt {
  readonly text: string;
  readonly images: readonly PromptImage[];
}

export interface PromptInputState {
  /** There is something to send. */
  readonly isReady: boolean;
  readonly isSending: boolean;
  readonly hasImages: boolean;
  /** Send it, as `onSend` or as this does. It is kept when that fails. */
  readonly send: (how?: (prompt: Prompt) => Promise<void>) => void;
}

interface PromptInputProps {
  readonly label: string;
  readonly placeholder: string;
  /** What the draft is kept by: a session's id, or the screen that starts one. */
  readonly draftName: string;
  /** What `/` offers besides the agent's own commands. */
  readonly commands?: readonly PromptCommand[];
  /** What `↑` brings back, the newest first. */
  readonly history?: readonly string[];
  /** Where `@` looks for files; absent: nowhere. */
  readonly workspace: string | undefined;
  /** Of the turn to come; absent: the default. Its agent may have announced `/` commands. */
  readonly lane?: LaneName | undefined;
  /** Why images cannot be sent as things stand; absent: they can. */
  readonly imagesRefused?: string | undefined;
  readonly onSend: (prompt: Prompt) => Promise<void>;
  /** Ctrl or ⌘ with Enter; like Enter when absent. */
  readonly onSendAside?: (prompt: Prompt) => Promise<void>;
  /** Choices to the left of the buttons. */
  readonly choices?: ReactNode;
  readonly buttons: (state: PromptInputState) => ReactNode;
}

/** Where a prompt is written: text that grows, files by `@`, images by paste, drop or choice. Enter sends. */
export function PromptInput(props: PromptInputProps) {
  const { draftName, workspace, lane, onSend, onSendAside = onSend } = props;
  const [text, setText] = useState(() => readDraft(draftName));
  const [isSending, setSending] = useState(false);
  const [failure, setFailure] = useState<string>();
  const [isOver, setOver] = useState(false);
  const draft = useDraftImages();
  const ofAgent = useAgentCommands({ workspace, lane, isWanted: text.startsWith("/") });
  const commands = useMemo(() => withoutTwins(props.commands ?? [], ofAgent), [props.commands, ofAgent]);
  const change = (next: string): void => {
    setText(next);
    writeDraft(draftName, next);
  };
  const refused = draft.images.length > 0 ? props.imagesRefused : undefined;
  const isReady = text.trim() !== "" && !isSending && refused === undefined;
  const send = (how: (prompt: Prompt) => Promise<void> = onSend): void => {
    if (!isReady) return;
    setSending(true);
    setFailure(undefined);
    sendDraft(expandCommand(commands, text.trim()), draft.images, how)
      .then(() => {
        change("");
        draft.clear();
      })
      .catch((error: unknown) => setFailure(failureWords(error)))
      .finally(() => setSending(false));
  };
  const drop = useDrop(setOver, draft.add);
  return (
    <div
      className={`relative rounded-lg border bg-raised focus-within:border-accent ${isOver ? "border-accent" : "border-line"}`}
      {...drop}
      onPaste={(event) => takePasted(event, draft.add)}
    >
      <PromptThumbnails images={draft.images} onRemove={draft.remove} />
      <PromptText
        {...props}
        commands={commands}
        text={text}
        onChange={change}
        onEnter={(isAside) => send(isAside ? onSendAside : onSend)}
      />
      <Complaints texts={[draft.refused, refused, failure]} />
      <div className="flex items-center gap-1 px-1 pb-1 max-md:flex-wrap max-md:justify-end">
        <PickImages onPick={draft.add} />
        {/* On a phone they have a line of their own: beside the buttons there is no room for their names. */}
        <div className="flex min-w-0 flex-1 items-center gap-1 max-md:order-first max-md:basis-full">
          {props.choices}
        </div>
        <span className="flex-1 md:hidden" />
        {props.buttons({ isReady, isSending, hasImages: draft.images.length > 0, send })}
      </div>
    </div>
  );
}

async function sendDraft(
  text: string,
  images: Parameters<typeof toPromptImages>[0],
  how: (prompt: Prompt) => Promise<void>,
): Promise<void> {
  await how({ text, images: await toPromptImages(images) });
}

function Complaints({ texts }: { readonly texts: readonly (string | undefined)[] }) {
  return (
    <div role="alert">
      {texts.map(
        (text) =>
          text !== undefined && (
            <p key={text} className="px-3 pb-1 text-[13px] text-bad [overflow-wrap:anywhere]">
              {text}
            </p>
          ),
      )}
    </div>
  );
}

function PickImages({ onPick }: { readonly onPick: (files: readonly File[]) => void }) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <IconButton
        icon={<ImagePlus aria-hidden="true" size={16} />}
        label="Add images"
        onClick={() => input.current?.click()}
      />
      <input
        ref={input}
        id={id}
        type="file"
        accept="image/png,image/jpeg,image/gif,image/webp"
        multiple
        hidden
        aria-label="Images to add"
        onChange={(event) => {
          onPick([...(event.target.files ?? [])]);
          event.target.value = "";
        }}
      />
    </>
  );
}

function takePasted(event: ClipboardEvent, add: (files: readonly File[]) => void): void {
  const images = [...event.clipboardData.files].filter((file) => file.type.startsWith("image/"));
  if (images.length === 0) return;
  event.preventDefault();
  add(images);
}

function useDrop(setOver: (isOver: boolean) => void, add: (files: readonly File[]) => void) {
  return {
    onDragOver: (event: DragEvent) => {
      if (!event.dataTransfer.types.includes("Files")) return;
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent) => {
      event.preventDefault();
      setOver(false);
      add([...event.dataTransfer.files]);
    },
  };
}
