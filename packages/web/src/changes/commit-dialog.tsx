import type { ChangesView, CommittedChanges } from "@caret/protocol";
import { type FormEvent, useId, useState } from "react";
import { useApi } from "../data/page-hooks.ts";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { ErrorNote, toErrorInfo } from "../parts/error-note.tsx";
import { Field, TextInput } from "../parts/field.tsx";
import { useAttempt } from "../parts/use-attempt.ts";
import { proposedMessage } from "./review-comments.ts";

interface CommitDialogProps {
  readonly sessionId: string;
  readonly title: string;
  readonly changes: ChangesView;
  readonly onCommitted: (committed: CommittedChanges) => void;
  readonly onClose: () => void;
}

/** Commits the files that are listed, with a message to begin with. Nothing is pushed. */
export function CommitDialog({ sessionId, title, changes, onCommitted, onClose }: CommitDialogProps) {
  const api = useApi();
  const formId = useId();
  const { files, branch } = changes;
  const [message, setMessage] = useState(() =>
    proposedMessage(
      title,
      files.map(({ path }) => path),
    ),
  );
  const [newBranch, setNewBranch] = useState("");
  const { attempt, isBusy, error } = useAttempt();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const paths = files.flatMap(({ path, oldPath }) => (oldPath === undefined ? [path] : [oldPath, path]));
    const wanted = { message, paths, ...(newBranch.trim() === "" ? {} : { branch: newBranch.trim() }) };
    attempt(api.commitChanges(sessionId, wanted), onCommitted);
  };
  return (
    <Dialog
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button disabled={isBusy || message.trim() === ""} form={formId} tone="primary" type="submit">
            Commit
          </Button>
        </>
      }
      isWide
      onClose={onClose}
      title={files.length === 1 ? "Commit 1 file" : `Commit ${files.length} files`}
    >
      <form className="flex flex-col gap-3" id={formId} onSubmit={submit}>
        <Field hint="No hook of the repository runs, and nothing is pushed." label="Message">
          {(ids) => (
            <textarea
              {...ids}
              className="min-h-32 w-full resize-y rounded-md border border-line bg-raised p-2 font-mono text-[16px] md:text-[13px]"
              onChange={(event) => setMessage(event.target.value)}
              rows={6}
              value={message}
            />
          )}
        </Field>
        <Field
          hint={branch === undefined ? "No branch is checked out." : `Leave empty to commit on ${branch}.`}
          label="New branch"
        >
          {(ids) => (
            <TextInput
              {...ids}
              onChange={(event) => setNewBranch(event.target.value)}
              spellCheck={false}
              value={newBranch}
            />
          )}
        </Field>
        {error !== undefined && <ErrorNote error={toErrorInfo(error)} />}
      </form>
    </Dialog>
  );
}
