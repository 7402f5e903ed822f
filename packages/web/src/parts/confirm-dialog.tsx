import { type ReactNode, useState } from "react";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { ErrorNote, toErrorInfo } from "./error-note.tsx";

interface ConfirmDialogProps {
  readonly title: string;
  /** What the button does, as a verb. */
  readonly action: string;
  readonly onConfirm: () => Promise<void>;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** For what should not happen by a slip. */
export function ConfirmDialog({ title, action, onConfirm, onClose, children }: ConfirmDialogProps) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const confirm = (): void => {
    setBusy(true);
    onConfirm().then(onClose, (reason: unknown) => {
      setBusy(false);
      setError(reason);
    });
  };
  return (
    <Dialog
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button disabled={isBusy} onClick={confirm} tone="danger">
            {action}
          </Button>
        </>
      }
      onClose={onClose}
      title={title}
    >
      <div className="flex flex-col gap-3">
        <div className="[overflow-wrap:anywhere]">{children}</div>
        {error !== undefined && <ErrorNote error={toErrorInfo(error)} />}
      </div>
    </Dialog>
  );
}
