import type { FileDiff } from "@caret/protocol";
import type { ReactNode } from "react";
import { toDiffRows } from "../diff/diff-rows.ts";
import { DiffView } from "../diff/diff-view.tsx";
import { Markdown } from "../markdown/markdown.tsx";
import { AnsiOutput } from "./ansi-output.tsx";
import { useRemembered } from "./card.tsx";
import { prettyJson } from "./raw-view.tsx";
import { ScrollBox } from "./scroll-box.tsx";
import { commandOf, directoryOf } from "./tool-words.ts";
import type { ItemOf } from "./transcript-rows.ts";

const PREVIEW_ROWS = 24;

interface BodyProps {
  readonly item: ItemOf<"tool">;
}

export function ShellBody({ item: { tool, seq, description }, isLive }: BodyProps & { readonly isLive: boolean }) {
  const command = commandOf(tool);
  const directory = directoryOf(tool.input);
  return (
    <>
      {(command.includes("\n") || command.length > 60) && (
        <pre className="max-h-60 overflow-y-auto whitespace-pre-wrap border-line border-b px-3 py-2 font-mono text-[12px] [overflow-wrap:anywhere]">
          {command}
        </pre>
      )}
      {(directory !== undefined || description !== undefined) && (
        <p className="px-3 pt-1.5 text-[12px] text-faint">
          {description}
          {description !== undefined && directory !== undefined && " · "}
          {directory !== undefined && (
            <>
              in <span className="font-mono">{directory}</span>
            </>
          )}
        </p>
      )}
      <AnsiOutput text={tool.output} name={`output ${seq}`} isLive={isLive} isTail />
    </>
  );
}

export function EditBody({ item: { tool, seq }, diff }: BodyProps & { readonly diff: FileDiff }) {
  const [isAll, setAll] = useRemembered(`diff ${seq}`, false);
  const rows = toDiffRows(diff);
  if (rows.rows.length === 0) return <AnsiOutput text={tool.output} name={`output ${seq}`} isLive={false} />;
  return (
    <DiffView
      diff={rows}
      path={diff.path}
      label={`Changes in ${diff.path}`}
      preview={PREVIEW_ROWS}
      isExpanded={isAll}
      onExpand={() => setAll(true)}
    />
  );
}

export function TextBody({ item: { tool, seq } }: BodyProps) {
  return <AnsiOutput text={tool.output} name={`output ${seq}`} isLive={tool.status === "running"} />;
}

/** What was handed in and what came out, where nothing better is known than its fields. */
export function FieldsBody({ item: { tool } }: BodyProps) {
  return (
    <>
      <p className="px-3 pt-2 text-[12px] text-faint">Input</p>
      <ScrollBox label="Input">{prettyJson(JSON.stringify(tool.input ?? {}))}</ScrollBox>
      {tool.output !== "" && (
        <>
          <p className="border-line border-t px-3 pt-2 text-[12px] text-faint">Output</p>
          <ScrollBox label="Output">{prettyJson(tool.output)}</ScrollBox>
        </>
      )}
    </>
  );
}

/** What another agent did for this one: its steps, as far as they were reported, and what it said in the end. */
export function TaskBody({ item: { tool }, steps }: BodyProps & { readonly steps: readonly ReactNode[] }) {
  return (
    <div className="px-2 py-2">
      {steps.length > 0 && (
        <ul className="border-line border-l pl-1" aria-label="Steps">
          {steps}
        </ul>
      )}
      {tool.output !== "" && (
        <div className="px-1 pt-2">
          <Markdown text={tool.output} />
        </div>
      )}
      {steps.length === 0 && tool.output === "" && (
        <p className="px-1 text-[12px] text-faint">No steps reported yet.</p>
      )}
    </div>
  );
}
