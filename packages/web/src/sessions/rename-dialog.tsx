import type { SessionView } from "@caret/protocol";
import { type FormEvent, useId, useState } from "react";
import { usePageData } from "../data/page-data-context.tsx";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { ErrorNote } from "../parts/error-note.tsx";
import { Field, TextInput } from "../parts/field.tsx";
import { toErrorInfo } from "../parts/to-error-info.ts";

interface RenameDialogProps {
  readonly session: SessionView;
  readonly onClose: () => void;
}

export function RenameDialog({ session, onClose }: RenameDialogProps) {
  const { api, put } = usePageData();
  const formId = useId();
  const [title, setTitle] = useState(session.title);
  const [error, setError] = useState<unknown>();
  const rename = async (): Promise<void> => {
    put(await api.changeSession(session.id, { title: title.trim() }));
    onClose();
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    rename().catch(setError);
  };
  return (
    <Dialog
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button disabled={title.trim() === ""} form={formId} tone="primary" type="submit">
            Rename
          </Button>
        </>
      }
      onClose={onClose}
      title="Rename session"
    >
      <form className="flex flex-col gap-3" id={formId} onSubmit={submit}>
        <Field label="Title">
          {(ids) => (
            <TextInput
              {...ids}
              maxLength={200}
              onChange={(event) => setTitle(event.target.value)}
              onFocus={(event) => event.target.select()}
              value={title}
            />
          )}
        </Field>
        {error !== undefined && <ErrorNote error={toErrorInfo(error)} />}
      </form>
    </Dialog>
  );
}
