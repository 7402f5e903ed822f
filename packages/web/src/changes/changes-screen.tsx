import type { ChangesView } from "@caret/protocol";
import { ArrowLeft, GitBranch, RefreshCw } from "lucide-react";
import { Link } from "wouter";
import { useApi, useSession } from "../data/page-hooks.ts";
import { ChangeCount } from "../diff/change-count.tsx";
import { Button } from "../parts/button.tsx";
import { Empty } from "../parts/placeholders.tsx";
import { LoadedView, useLoaded } from "../screen/loaded-view.tsx";
import { ScreenFrame } from "../screen/screen-frame.tsx";
import { ChangedFiles } from "./changed-files.tsx";

/** What the working tree of a session's workspace has that its last commit has not. */
export function ChangesScreen({ sessionId }: { readonly sessionId: string }) {
  const api = useApi();
  const session = useSession(sessionId);
  // Looked at again whenever a turn has ended: until then the agent is still at it.
  const turnId = session?.status.kind === "ended" ? session.status.turnId : "";
  const changes = useLoaded(`changes ${sessionId}`, (signal) => api.changes(sessionId, { signal }), turnId);
  return (
    <ScreenFrame
      about={
        <Link className="inline-flex items-center gap-1 hover:text-ink" href={`/s/${sessionId}`}>
          <ArrowLeft aria-hidden="true" size={14} /> {session?.title ?? "Back to the session"}
        </Link>
      }
      actions={
        <Button disabled={changes.isLoading} icon={<RefreshCw aria-hidden="true" size={16} />} onClick={changes.reload}>
          {changes.isLoading ? "Refreshing…" : "Refresh"}
        </Button>
      }
      title="Changes"
    >
      <LoadedView loaded={changes} waiting="Looking at the working tree">
        {(view) => <Changes changes={view} workspace={session?.workspace} />}
      </LoadedView>
    </ScreenFrame>
  );
}

interface ChangesProps {
  readonly changes: ChangesView;
  readonly workspace: string | undefined;
}

function Changes({ changes, workspace = "The workspace" }: ChangesProps) {
  const { isRepository, branch, files, omitted } = changes;
  if (!isRepository)
    return (
      <Empty title="Not a repository">
        {workspace} is not inside a Git repository, so there is no earlier state to compare with. The session shows each
        change that was made in it.
      </Empty>
    );
  if (files.length === 0)
    return <Empty title="Nothing has changed">The working tree is as its last commit left it.</Empty>;
  return (
    <>
      <Summary branch={branch} changes={changes} />
      <ChangedFiles files={files} />
      {omitted > 0 && (
        <p className="mt-3 text-soft">
          {omitted === 1 ? "1 more file is" : `${omitted.toLocaleString("en")} more files are`} not listed: there are
          too many. <code className="font-mono text-[13px]">git status</code> lists them all.
        </p>
      )}
    </>
  );
}

function Summary({ branch, changes }: { readonly branch: string | undefined; readonly changes: ChangesView }) {
  const { files, omitted } = changes;
  const count = files.length + omitted;
  const sum = (key: "additions" | "deletions"): number => files.reduce((total, file) => total + (file[key] ?? 0), 0);
  return (
    <p className="mb-3 flex flex-wrap items-center gap-x-3 gap-y-1 text-soft">
      {branch !== undefined && (
        <span className="inline-flex min-w-0 items-center gap-1.5">
          <GitBranch aria-hidden="true" className="shrink-0" size={14} />
          <span className="truncate font-mono text-[13px] text-ink">{branch}</span>
        </span>
      )}
      <span>{count === 1 ? "1 file" : `${count.toLocaleString("en")} files`}</span>
      <ChangeCount additions={sum("additions")} deletions={sum("deletions")} />
      <span className="ml-auto text-faint text-xs max-sm:hidden">j and k move, Enter opens</span>
    </p>
  );
}
