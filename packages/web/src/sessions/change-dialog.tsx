import type { SessionView } from "@caret/protocol";
import { type FormEvent, type ReactNode, useId, useState } from "react";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { ErrorNote, toErrorInfo } from "../parts/error-note.tsx";

export interface SessionDialogProps {
  readonly session: SessionView;
  readonly onClose: () => void;
}

interface ChangeDialogProps {
  readonly title: string;
  readonly action: string;
  readonly isReady: boolean;
  readonly onChange: () => Promise<void>;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A form that changes a session; it stays open with the reason when that fails. */
export function ChangeDialog({ title, action, isReady, onChange, onClose, children }: ChangeDialogProps) {
  const formId = useId();
  const [error, setError] = useState<unknown>();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onChange().then(onClose, setError);
  };
  return (
    <Dialog
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button disabled={!isReady} form={formId} tone="primary" type="submit">
            {action}
          </Button>
        </>
      }
      onClose={onClose}
      title={title}
    >
      <form className="flex flex-col gap-3" id={formId} onSubmit={submit}>
        {children}
        {error !== undefined && <ErrorNote error={toErrorInfo(error)} />}
      </form>
    </Dialog>
  );
}
