import type { AgentView } from "@caret/protocol";
import { type FormEvent, useState } from "react";
import { useApi } from "../data/page-hooks.ts";
import { Button } from "../parts/button.tsx";
import { ErrorNote, toErrorInfo } from "../parts/error-note.tsx";
import { Field, TextInput } from "../parts/field.tsx";
import { showToast } from "../parts/toast.tsx";

interface MessageFormProps {
  readonly agent: AgentView;
  readonly onSent: () => void;
  readonly onClose: () => void;
}

/** Puts a message into an agent's queue. */
export function MessageForm({ agent: { name, doing }, onSent, onClose }: MessageFormProps) {
  const api = useApi();
  const [text, setText] = useState("");
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState<unknown>();
  const send = async (): Promise<void> => {
    setSending(true);
    await api.sendMessage(name, { text });
    showToast(
      doing.kind === "suspended" ? `${name} has it in its queue and is suspended` : `${name} has it in its queue`,
    );
    onSent();
    onClose();
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    send().catch((reason: unknown) => {
      setSending(false);
      setError(reason);
    });
  };
  return (
    <form className="mt-2 flex flex-col gap-2 pl-5" onSubmit={submit}>
      <Field label={`Message to ${name}`}>
        {(ids) => (
          <div className="flex gap-2">
            <TextInput {...ids} autoFocus onChange={(event) => setText(event.target.value)} value={text} />
            <Button disabled={isSending || text.trim() === ""} tone="primary" type="submit">
              Send
            </Button>
          </div>
        )}
      </Field>
      {error !== undefined && <ErrorNote error={toErrorInfo(error)} />}
    </form>
  );
}
