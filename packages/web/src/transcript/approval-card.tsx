import { type AgentEventOf, approvalView, markHidden } from "@caret/protocol";
import { ShieldCheck, ShieldX } from "lucide-react";
import { Words } from "../parts/field.tsx";
import { OpenApproval } from "./open-approval.tsx";
import type { ItemOf } from "./transcript-rows.ts";

interface ApprovalCardProps {
  readonly item: ItemOf<"approval">;
  readonly isOver: boolean;
  /** Alt+A and Alt+D decide this one. */
  readonly isNext: boolean;
}

/** Something that wants to happen and needs a person's word. */
export function ApprovalCard({ item, isOver, isNext }: ApprovalCardProps) {
  if (item.answer !== undefined) return <AnsweredLine item={item} answer={item.answer} />;
  if (isOver) return <LapsedLine item={item} />;
  return <OpenApproval item={item} isNext={isNext} />;
}

const deciders = { agent: "the agent", policy: "policy", person: "you", grant: "what you allowed before" } as const;

interface AnsweredLineProps {
  readonly item: ItemOf<"approval">;
  readonly answer: AgentEventOf<"approval-answer">;
}

function AnsweredLine({ item, answer }: AnsweredLineProps) {
  const { decision, by, reason } = answer;
  const isApproved = decision === "approved";
  const Icon = isApproved ? ShieldCheck : ShieldX;
  return (
    <p className="flex items-start gap-2 px-2 py-1 text-[13px] text-soft">
      <Icon size={14} aria-hidden="true" className={`mt-[3px] shrink-0 ${isApproved ? "text-good" : "text-bad"}`} />
      <span className="min-w-0 [overflow-wrap:anywhere]">
        {by === "nobody"
          ? `Not run: ${undecidedWords(reason)} · ${approvalView(item.request).title}`
          : `${isApproved ? "Approved" : "Denied"} by ${deciders[by]}: ${approvalView(item.request).title}`}
        {by !== "nobody" && reason !== undefined && <Words text={` (${markHidden(reason)})`} />}
      </span>
    </p>
  );
}

/** Why it was not decided, to stand behind a colon. */
function undecidedWords(reason = "nobody decided"): string {
  return reason.replace(/^(?:You|The|Nobody|It)\b/, (word) => word.toLowerCase());
}

function LapsedLine({ item }: { readonly item: ItemOf<"approval"> }) {
  return (
    <p className="flex items-start gap-2 px-2 py-1 text-[13px] text-soft">
      <ShieldX size={14} aria-hidden="true" className="mt-[3px] shrink-0 text-faint" />
      <span>Nobody answered before the turn ended: {approvalView(item.request).title}</span>
    </p>
  );
}
