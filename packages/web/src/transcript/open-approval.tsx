import { type AnswerApproval, type ApprovalView, approvalView } from "@caret/protocol";
import { ShieldQuestionMark } from "lucide-react";
import { type FormEvent, type KeyboardEvent, type RefObject, useEffect, useId, useMemo, useRef, useState } from "react";
import { Button } from "../parts/button.tsx";
import { Duration } from "../parts/duration.tsx";
import { Field, TextInput, Words } from "../parts/field.tsx";
import { Kbd } from "../parts/kbd.tsx";
import { cardApprovalKey, globalApprovalKey } from "./approval-key.ts";
import { ApprovalSubject } from "./approval-subject.tsx";
import { useCommand, useTranscriptActions } from "./transcript-actions.ts";
import type { ItemOf } from "./transcript-rows.ts";

/** So long after all of a card was in sight it takes no approval: it may be under a finger that meant the one before it. */
const ARM_MS = 500;

interface OpenApprovalProps {
  readonly item: ItemOf<"approval">;
  /** Alt+A and Alt+D decide this one. */
  readonly isNext: boolean;
}

/** Something that wants to happen and waits for a person's decision. */
export function OpenApproval({ item, isNext }: OpenApprovalProps) {
  const { answerApproval } = useTranscriptActions();
  const { request } = item;
  const { run, isBusy, failure } = useCommand();
  const view = useMemo(() => approvalView(request), [request]);
  const card = useRef<HTMLElement>(null);
  const isArmed = useArmed(card, request);
  // Its answer is taken before the card goes.
  const [answered, setAnswered] = useState<object>();
  const canDeny = answerApproval !== undefined && !isBusy && answered !== request;
  const canApprove = canDeny && isArmed;
  const answer = (given: AnswerApproval) => {
    if (given.decision === "rejected" ? canDeny : canApprove)
      run(async () => {
        await answerApproval?.(request.requestId, given);
        setAnswered(request);
      });
  };
  useGlobalKeys(isNext && canDeny, (decision) => answer({ decision }));
  const onKeyDown = (event: KeyboardEvent): void => {
    const decision = cardApprovalKey(event.nativeEvent);
    if (decision === undefined) return;
    event.preventDefault();
    answer({ decision });
  };
  return (
    <article
      ref={card}
      aria-label={`Approval: ${view.title}`}
      className="relative overflow-hidden rounded-md border border-warn/60 bg-raised"
      data-own-keys=""
      onKeyDown={onKeyDown}
    >
      <span aria-hidden="true" className="absolute inset-x-0 top-0 h-px" data-edge="" />
      <header className="flex items-center gap-2 border-line border-b bg-warn/10 px-3 py-2">
        <ShieldQuestionMark size={16} aria-hidden="true" className="shrink-0 text-warn" />
        <h3 className="min-w-0 flex-1 font-medium">{view.title}</h3>
        <span className="shrink-0 text-[12px] text-soft">
          Waiting for you · <Duration since={item.at} />
        </span>
      </header>
      <ApprovalSubject view={view} />
      {answerApproval !== undefined && (
        <Decisions grants={view.grants} isNext={isNext} canApprove={canApprove} canDeny={canDeny} onAnswer={answer} />
      )}
      {failure !== undefined && (
        <p role="alert" className="px-3 pb-2 text-[13px] text-bad">
          {failure}
        </p>
      )}
      <span aria-hidden="true" className="absolute inset-x-0 bottom-0 h-px" data-edge="" />
    </article>
  );
}

interface DecisionsProps {
  /** What may be allowed for the rest of the session: exactly what each label says. */
  readonly grants: ApprovalView["grants"];
  readonly isNext: boolean;
  readonly canApprove: boolean;
  readonly canDeny: boolean;
  readonly onAnswer: (answer: AnswerApproval) => void;
}

function Decisions({ grants, isNext, canApprove, canDeny, onAnswer }: DecisionsProps) {
  const [isDenying, setDenying] = useState(false);
  return (
    <footer className="flex flex-col gap-2 border-line border-t px-3 py-2">
      <div className="flex flex-wrap items-center gap-2">
        <Button tone="primary" disabled={!canApprove} onClick={() => onAnswer({ decision: "approved" })}>
          Approve {isNext && <KeyHint keys="Alt+A" />}
        </Button>
        <Button disabled={!canDeny} onClick={() => onAnswer({ decision: "rejected" })}>
          Deny {isNext && <KeyHint keys="Alt+D" />}
        </Button>
        <Button tone="quiet" aria-expanded={isDenying} onClick={() => setDenying(!isDenying)}>
          Deny with a reason…
        </Button>
      </div>
      {grants.length > 0 && (
        <ul aria-label="Approve this and the like" className="-ml-3 flex flex-col gap-1">
          {grants.map(({ id, label }) => (
            <li key={id}>
              <Button
                className="max-w-full justify-start whitespace-normal! text-left font-normal"
                tone="quiet"
                disabled={!canApprove}
                onClick={() => onAnswer({ decision: "approved", grant: id })}
              >
                <span className="min-w-0 whitespace-pre-wrap [overflow-wrap:anywhere] [unicode-bidi:bidi-override]">
                  Always allow <Words text={label} /> in this session
                </span>
              </Button>
            </li>
          ))}
        </ul>
      )}
      {isDenying && <DenyReason isDisabled={!canDeny} onDeny={onAnswer} />}
    </footer>
  );
}

interface DenyReasonProps {
  readonly isDisabled: boolean;
  readonly onDeny: (answer: AnswerApproval) => void;
}

/** The agent is given the reason, so that it can do something else instead. */
function DenyReason({ isDisabled, onDeny }: DenyReasonProps) {
  const formId = useId();
  const [reason, setReason] = useState("");
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onDeny({ decision: "rejected", reason: reason.trim() });
  };
  return (
    <form id={formId} onSubmit={submit} className="flex items-end gap-2">
      <div className="min-w-0 flex-1">
        <Field label="Reason, for the agent">
          {(ids) => (
            <TextInput
              {...ids}
              autoFocus
              maxLength={2_000}
              onChange={(event) => setReason(event.target.value)}
              value={reason}
            />
          )}
        </Field>
      </div>
      <Button type="submit" disabled={isDisabled || reason.trim() === ""}>
        Deny
      </Button>
    </form>
  );
}

/**
 * Whether both ends of this request's card came into sight, and some of it stayed there for its moment: of a card that is out of sight, or
 * in a hidden tab, nobody has read anything. One that is higher than the window is scrolled through, and one that grows is another.
 */
function useArmed(card: RefObject<HTMLElement | null>, request: object): boolean {
  const [armed, setArmed] = useState<object>();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const edges = [...(card.current?.querySelectorAll(":scope > [data-edge]") ?? [])];
    const unseen = new Set(edges);
    let isInSight = false;
    const look = (): void => {
      clearTimeout(timer);
      if (isInSight && unseen.size === 0 && !document.hidden) timer = setTimeout(() => setArmed(request), ARM_MS);
    };
    const observer = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) {
        if (target === card.current) isInSight = isIntersecting;
        else if (isIntersecting) unseen.delete(target);
      }
      look();
    });
    const growth = new ResizeObserver(() => {
      setArmed(undefined);
      for (const edge of edges) {
        unseen.add(edge);
        // It says again where it is, also where that is the same.
        observer.unobserve(edge);
        observer.observe(edge);
      }
      look();
    });
    if (card.current !== null) {
      observer.observe(card.current);
      growth.observe(card.current);
    }
    document.addEventListener("visibilitychange", look);
    return () => {
      clearTimeout(timer);
      observer.disconnect();
      growth.disconnect();
      document.removeEventListener("visibilitychange", look);
    };
  }, [card, request]);
  return armed === request;
}

function useGlobalKeys(isActive: boolean, decide: (decision: "approved" | "rejected") => void): void {
  useEffect(() => {
    if (!isActive) return;
    const press = (event: globalThis.KeyboardEvent): void => {
      const decision = globalApprovalKey(event);
      if (decision === undefined) return;
      event.preventDefault();
      decide(decision);
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  });
}

function KeyHint({ keys }: { readonly keys: string }) {
  return (
    <span className="max-md:hidden">
      <Kbd keys={keys} />
    </span>
  );
}
