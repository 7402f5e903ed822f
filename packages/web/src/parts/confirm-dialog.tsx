import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { ErrorNote, toErrorInfo } from "./error-note.tsx";
import { useAttempt } from "./use-attempt.ts";

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
  const { attempt, isBusy, error } = useAttempt();
  const confirm = (): void => attempt(onConfirm(), onClose);
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
