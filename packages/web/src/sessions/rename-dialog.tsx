import { useState } from "react";
import { usePageData } from "../data/page-data-context.tsx";
import { Field, TextInput } from "../parts/field.tsx";
import { ChangeDialog, type SessionDialogProps } from "./change-dialog.tsx";

/** Never loaded lazily: what a person types before its field is there would be taken for shortcuts. */
export function RenameDialog({ session, onClose }: SessionDialogProps) {
  const { api, put } = usePageData();
  const [title, setTitle] = useState(session.title);
  const rename = async (): Promise<void> => put(await api.changeSession(session.id, { title: title.trim() }));
  return (
    <ChangeDialog
      action="Rename"
      isReady={title.trim() !== ""}
      onChange={rename}
      onClose={onClose}
      title="Rename session"
    >
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
    </ChangeDialog>
  );
}
