import type { ChangesView, SessionView } from "@caret/protocol";
import { ArrowLeft, GitBranch, RefreshCw } from "lucide-react";
import { useState } from "react";
import { Link } from "wouter";
import { useApi, useSession } from "../data/page-hooks.ts";
import { ChangeCount } from "../diff/change-count.tsx";
import { Button } from "../parts/button.tsx";
import { Empty } from "../parts/placeholders.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { LoadedView, useLoaded } from "../screen/loaded-view.tsx";
import { ScreenFrame } from "../screen/screen-frame.tsx";
import { ChangedFiles } from "./changed-files.tsx";
import { ReviewBar } from "./review-bar.tsx";
import { commentKey, type ReviewComment } from "./review-comments.ts";
import type { Review } from "./review-diff.tsx";

const views = [
  { name: "session", label: "This session" },
  { name: "commit", label: "Since the last commit" },
] as const;

/** What has changed in a session's workspace since the session began, to be read, commented on, discarded and committed. */
export function ChangesScreen({ sessionId }: { readonly sessionId: string }) {
  const api = useApi();
  const session = useSession(sessionId);
  const [since, setSince] = useState<(typeof views)[number]["name"]>("session");
  // Looked at again whenever a turn has ended: until then the agent is still at it.
  const turnId = session?.status.kind === "ended" ? session.status.turnId : "";
  const load = (signal: AbortSignal): Promise<ChangesView> =>
    since === "session" ? api.sessionChanges(sessionId, { signal }) : api.changes(sessionId, { signal });
  const changes = useLoaded(`changes ${since} ${sessionId}`, load, turnId);
  return (
    <ScreenFrame
      about={
        <Link className="inline-flex items-center gap-1 hover:text-ink max-md:min-h-10" href={`/s/${sessionId}`}>
          <ArrowLeft aria-hidden="true" size={14} /> {session?.title ?? "Back to the session"}
        </Link>
      }
      actions={
        <>
          <Tabs chosen={since} label="Which changes" onChoose={setSince} tabs={views} />
          <Button
            disabled={changes.isLoading}
            icon={<RefreshCw aria-hidden="true" size={16} />}
            onClick={changes.reload}
          >
            {changes.isLoading ? "Refreshing…" : "Refresh"}
          </Button>
        </>
      }
      title="Changes"
    >
      <LoadedView loaded={changes} waiting="Looking at the working tree">
        {(view) => <Changes changes={view} onChanged={changes.reload} session={session} />}
      </LoadedView>
    </ScreenFrame>
  );
}

interface ChangesProps {
  readonly changes: ChangesView;
  readonly session: SessionView | undefined;
  readonly onChanged: () => void;
}

function Changes({ changes, session, onChanged }: ChangesProps) {
  const { isRepository, branch, files, omitted, since } = changes;
  const review = useReview(session, onChanged);
  if (!isRepository)
    return (
      <Empty title="Not a repository">
        {session?.workspace ?? "The workspace"} is not inside a Git repository, so there is no earlier state to compare
        with. The session shows each change that was made in it.
      </Empty>
    );
  if (files.length === 0)
    return (
      <Empty title="Nothing has changed">
        {since === "session"
          ? "The files are as they were when the session began."
          : "The working tree is as its last commit left it."}
      </Empty>
    );
  return (
    <>
      <Summary branch={branch} changes={changes} />
      {session !== undefined && since !== undefined && (
        <ReviewBar
          changes={changes}
          comments={[...review.comments.values()]}
          isBusy={review.isBusy}
          onChanged={onChanged}
          session={session}
        />
      )}
      {since === undefined ? <ChangedFiles files={files} /> : <ChangedFiles files={files} review={review} />}
      {omitted > 0 && (
        <p className="mt-3 text-soft">
          {omitted === 1 ? "1 more file is" : `${omitted.toLocaleString("en")} more files are`} not listed: there are
          too many. <code className="font-mono text-[13px]">git status</code> lists them all.
        </p>
      )}
      {since === "session" && (
        <p className="mt-4 text-[12px] text-faint">
          Everything that changed since the session began. Other sessions, you and your editor change the same files.
        </p>
      )}
      {since === "commit" && (
        <p className="mt-4 text-[12px] text-faint">
          What the workspace held when this session began is not known, so these are the changes since the last commit.
        </p>
      )}
    </>
  );
}

function useReview(session: SessionView | undefined, onChanged: () => void): Review {
  const api = useApi();
  const [comments, setComments] = useState<ReadonlyMap<string, ReviewComment>>(new Map());
  const isBusy = session === undefined || session.status.kind === "running" || session.status.kind === "waiting";
  return {
    comments,
    isBusy,
    onComment: (comment) => {
      const next = new Map(comments);
      if (comment.text === "") next.delete(commentKey(comment));
      else next.set(commentKey(comment), comment);
      setComments(next);
    },
    onDiscard: async (path, hunk) => {
      if (session === undefined) return;
      await api.discardHunk(session.id, { path, hunk });
      onChanged();
    },
  };
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
