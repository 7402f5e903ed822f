import type { AgentEventOf } from "@caret/protocol";
import { ShieldCheck, ShieldQuestionMark, ShieldX } from "lucide-react";
import { Button } from "../parts/button.tsx";
import { Duration } from "../parts/duration.tsx";
import { Kbd } from "../parts/kbd.tsx";
import { Words } from "../parts/words.tsx";
import { ApprovalSubject } from "./approval-subject.tsx";
import { subjectWords } from "./approval-words.ts";
import { useTranscriptActions } from "./transcript-actions.ts";
import type { ItemOf } from "./transcript-rows.ts";
import { useCommand } from "./use-command.ts";

interface ApprovalCardProps {
  readonly item: ItemOf<"approval">;
  readonly isOver: boolean;
  /** The keyboard decides this one. */
  readonly isNext: boolean;
}

/** Something that wants to happen and needs a person's word. */
export function ApprovalCard({ item, isOver, isNext }: ApprovalCardProps) {
  if (item.answer !== undefined) return <AnsweredLine item={item} answer={item.answer} />;
  if (isOver) return <LapsedLine item={item} />;
  return <OpenApproval item={item} isNext={isNext} />;
}

function OpenApproval({ item, isNext }: Omit<ApprovalCardProps, "isOver">) {
  const { answerApproval } = useTranscriptActions();
  const { request } = item;
  const { run, isBusy, failure } = useCommand();
  const answer = (decision: "approved" | "rejected", remember = false) =>
    run(async () => answerApproval?.(request.requestId, { decision, ...(remember && { remember }) }));
  return (
    <article
      aria-label={`Approval: ${subjectWords(request)}`}
      className="overflow-hidden rounded-md border border-warn/60 bg-raised"
    >
      <header className="flex items-center gap-2 border-line border-b bg-warn/10 px-3 py-2">
        <ShieldQuestionMark size={16} aria-hidden="true" className="shrink-0 text-warn" />
        <h3 className="min-w-0 flex-1 font-medium">{subjectWords(request)}</h3>
        <span className="shrink-0 text-[12px] text-soft">
          Waiting for you · <Duration since={item.at} />
        </span>
      </header>
      <ApprovalSubject request={request} />
      {answerApproval !== undefined && (
        <footer className="flex flex-wrap items-center gap-2 border-line border-t px-3 py-2">
          <Button tone="primary" disabled={isBusy} onClick={() => answer("approved")}>
            Approve {isNext && <KeyHint keys="A" />}
          </Button>
          <Button disabled={isBusy} onClick={() => answer("rejected")}>
            Deny {isNext && <KeyHint keys="D" />}
          </Button>
          <Button tone="quiet" disabled={isBusy} onClick={() => answer("approved", true)}>
            Always for this session
          </Button>
          {failure !== undefined && (
            <p role="alert" className="w-full text-[13px] text-bad">
              {failure}
            </p>
          )}
        </footer>
      )}
    </article>
  );
}

function KeyHint({ keys }: { readonly keys: string }) {
  return (
    <span className="max-md:hidden">
      <Kbd keys={keys} />
    </span>
  );
}

const deciders = { agent: "the agent", policy: "policy", person: "you" } as const;

interface AnsweredLineProps {
  readonly item: ItemOf<"approval">;
  readonly answer: AgentEventOf<"approval-answer">;
}

function AnsweredLine({ item, answer }: AnsweredLineProps) {
  const isApproved = answer.decision === "approved";
  const Icon = isApproved ? ShieldCheck : ShieldX;
  return (
    <p className="flex items-start gap-2 px-2 py-1 text-[13px] text-soft">
      <Icon size={14} aria-hidden="true" className={`mt-[3px] shrink-0 ${isApproved ? "text-good" : "text-bad"}`} />
      <span className="min-w-0 [overflow-wrap:anywhere]">
        {isApproved ? "Approved" : "Denied"} by {deciders[answer.by]}: {subjectWords(item.request)}
        {answer.reason !== undefined && <Words text={` (${answer.reason})`} />}
      </span>
    </p>
  );
}

function LapsedLine({ item }: { readonly item: ItemOf<"approval"> }) {
  return (
    <p className="flex items-start gap-2 px-2 py-1 text-[13px] text-soft">
      <ShieldX size={14} aria-hidden="true" className="mt-[3px] shrink-0 text-faint" />
      <span>Nobody answered before the turn ended: {subjectWords(item.request)}</span>
    </p>
  );
}
