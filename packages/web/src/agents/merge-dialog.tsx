import type { MergePreview } from "@caret/protocol";
import { useState } from "react";
import { useApi } from "../data/page-hooks.ts";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { ErrorNote, toErrorInfo } from "../parts/error-note.tsx";
import { showToast } from "../parts/toast.tsx";
import { LoadedView, useLoaded } from "../screen/loaded-view.tsx";

interface MergeDialogProps {
  readonly name: string;
  readonly onMerged: () => void;
  readonly onClose: () => void;
}

/** Shows what bringing an agent's work back would change, and does just that. */
export function MergeDialog({ name, onMerged, onClose }: MergeDialogProps) {
  const api = useApi();
  const preview = useLoaded(`merge ${name}`, (signal) => api.previewMerge(name, { signal }));
  const [error, setError] = useState<unknown>();
  const merge = async ({ id, into }: MergePreview): Promise<void> => {
    await api.mergeAgent(name, { preview: id });
    showToast(`The work of ${name} is in ${into}`);
    onMerged();
    onClose();
  };
  const { value } = preview;
  const isClear = value !== undefined && value.files.length > 0 && value.conflicts.length + value.inTheWay.length === 0;
  return (
    <Dialog
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button disabled={!isClear} onClick={() => value && merge(value).catch(setError)} tone="primary">
            Merge
          </Button>
        </>
      }
      isWide
      onClose={onClose}
      title={`Merge the work of ${name}`}
    >
      <LoadedView loaded={preview} waiting="Comparing both branches">
        {(shown) => <Preview preview={shown} />}
      </LoadedView>
      {error !== undefined && <ErrorNote error={toErrorInfo(error)} />}
    </Dialog>
  );
}

function Preview({
  preview: { repository, into, branch, files, conflicts, inTheWay },
}: {
  readonly preview: MergePreview;
}) {
  return (
    <div className="flex flex-col gap-3 [overflow-wrap:anywhere]">
      <p>
        {files.length === 0
          ? "There is nothing to merge"
          : `${files.length === 1 ? "1 file" : `${files.length} files`}`}{" "}
        from <code className="font-mono text-[13px]">{branch}</code> into{" "}
        <code className="font-mono text-[13px]">{into}</code> in {repository}.
      </p>
      <Files files={files.map(({ path, status }) => `${status}  ${path}`)} title="Changes" />
      <Files files={conflicts} title="Conflicts: nothing is merged before they are resolved in the worktree" />
      <Files files={inTheWay} title="In your checkout and in no commit: commit, stash or move these first" />
    </div>
  );
}

function Files({ title, files }: { readonly title: string; readonly files: readonly string[] }) {
  if (files.length === 0) return null;
  return (
    <section>
      <h3 className="font-medium text-[13px] text-soft">{title}</h3>
      <ul className="font-mono text-[13px]">
        {files.map((file) => (
          <li key={file}>{file}</li>
        ))}
      </ul>
    </section>
  );
}
