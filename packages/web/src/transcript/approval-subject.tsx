import type { ApprovalPart, ApprovalView } from "@caret/protocol";
import { TriangleAlert } from "lucide-react";
import { toDiffRows } from "../diff/diff-rows.ts";
import { DiffView } from "../diff/diff-view.tsx";
import { Words } from "../parts/field.tsx";
import { askedWords } from "./approval-words.ts";
import { ScrollBox } from "./scroll-box.tsx";

/** Exactly what is asked for: each part of the view, whole. */
export function ApprovalSubject({ view }: { readonly view: ApprovalView }) {
  return view.parts.map((part) => <Part key={part.kind} part={part} />);
}

function Part({ part }: { readonly part: ApprovalPart }) {
  const { kind, label, text, diff } = part;
  switch (kind) {
    case "danger":
      return (
        <p className="flex items-start gap-2 bg-bad/10 px-3 py-2 font-medium text-[13px] text-bad">
          <TriangleAlert size={14} aria-hidden="true" className="mt-[3px] shrink-0" />
          <span className="min-w-0 whitespace-pre-wrap [overflow-wrap:anywhere]">
            {label}: <Words text={text} />
          </span>
        </p>
      );
    case "change":
      return diff === undefined ? null : (
        <DiffView diff={toDiffRows(diff)} path={diff.path} label={`Proposed change in ${diff.path}`} preview={40} />
      );
    case "command":
      return (
        <ScrollBox label={label} isCounted>
          <span aria-hidden="true" className="select-none text-faint">
            ${" "}
          </span>
          <InOrder text={text} />
        </ScrollBox>
      );
    case "arguments":
      return (
        <ScrollBox label={label} isCounted>
          <InOrder text={text} />
        </ScrollBox>
      );
    case "plan":
      return (
        <ScrollBox label={label} isCounted>
          {text}
        </ScrollBox>
      );
    case "tool":
    case "directory":
    case "effect":
    case "said":
    case "reason":
      return <Line part={part} />;
    default:
      return kind satisfies never;
  }
}

/** From left to right as the shell reads it: browsers draw `cp א ב` with its operands exchanged. */
function InOrder({ text }: { readonly text: string }) {
  return <span className="[unicode-bidi:bidi-override]">{text}</span>;
}

/** A sentence, with its lines. What the agent says is shown as it is, backticks and all. */
function Line({ part: { kind, label, text } }: { readonly part: ApprovalPart }) {
  const isOwn = kind === "reason" || kind === "effect";
  return (
    <p className="px-3 pt-2 text-[13px] text-soft">
      {!isOwn && <span>{label}: </span>}
      <span
        className={`whitespace-pre-wrap [overflow-wrap:anywhere] ${kind === "directory" ? "font-mono text-[12px] [unicode-bidi:bidi-override]" : ""}`}
      >
        {isOwn ? <Words text={kind === "reason" ? askedWords(text) : text} /> : text}
      </span>
    </p>
  );
}
