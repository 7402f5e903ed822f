import type { ChangesView, SessionView } from "@caret/protocol";
import { ExternalLink, GitCommitHorizontal, MessageSquareText } from "lucide-react";
import { useState } from "react";
import { useLocation } from "wouter";
import { useApi } from "../data/page-hooks.ts";
import { Button } from "../parts/button.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import { showError, showToast } from "../parts/toast.tsx";
import { CommitDialog } from "./commit-dialog.tsx";
import { type ReviewComment, toReviewPrompt } from "./review-comments.ts";

interface ReviewBarProps {
  readonly session: SessionView;
  readonly changes: ChangesView;
  readonly comments: readonly ReviewComment[];
  readonly isBusy: boolean;
  readonly onChanged: () => void;
}

/** What is done with the changes as a whole: comments to the agent, a commit, the way to a pull request. */
export function ReviewBar({ session, changes, comments, isBusy, onChanged }: ReviewBarProps) {
  const api = useApi();
  const [, navigate] = useLocation();
  const [isCommitting, setCommitting] = useState(false);
  const written = comments.filter(({ text }) => text.trim() !== "");
  const send = async (): Promise<void> => {
    await api.startTurn(session.id, { prompt: toReviewPrompt(written) });
    navigate(`/s/${session.id}`);
  };
  return (
    <div className="mb-3 flex flex-wrap items-center gap-2">
      {written.length > 0 && (
        <Button
          disabled={isBusy}
          icon={<MessageSquareText aria-hidden="true" size={14} />}
          onClick={() => void send().catch(showError)}
          tone="primary"
        >
          {written.length === 1 ? "Send 1 comment to the agent" : `Send ${written.length} comments to the agent`}
        </Button>
      )}
      <Button
        disabled={isBusy || changes.files.length === 0}
        icon={<GitCommitHorizontal aria-hidden="true" size={14} />}
        onClick={() => setCommitting(true)}
      >
        Commit…
      </Button>
      {changes.compare !== undefined && <PullRequest {...changes.compare} />}
      {isCommitting && (
        <CommitDialog
          changes={changes}
          onClose={() => setCommitting(false)}
          onCommitted={({ commit, branch }) => {
            setCommitting(false);
            showToast(`Committed ${commit.slice(0, 8)}${branch === undefined ? "" : ` on ${branch}`}`);
            onChanged();
          }}
          sessionId={session.id}
          title={session.title}
        />
      )}
    </div>
  );
}

/** The host's page, and the command that brings the branch there: Caret itself pushes nothing. */
function PullRequest({ url, push }: { readonly url: string; readonly push: string }) {
  return (
    <span className="inline-flex items-center gap-1">
      <a
        className="inline-flex min-h-10 items-center gap-1.5 rounded-md border border-line bg-raised px-3 font-medium text-[13px] hover:border-faint md:min-h-8"
        href={url}
        rel="noreferrer"
        target="_blank"
      >
        <ExternalLink aria-hidden="true" size={14} /> Pull request
      </a>
      <CopyButton label={`Copy ${push}`} text={push} />
    </span>
  );
}
