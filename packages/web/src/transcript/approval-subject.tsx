import type { AgentEventOf } from "@caret/protocol";
import { useMemo } from "react";
import { toDiffRows } from "../diff/diff-rows.ts";
import { DiffView } from "../diff/diff-view.tsx";
import { reasonOf } from "./approval-words.ts";
import { prettyJson } from "./pretty-json.ts";
import { ScrollBox } from "./scroll-box.tsx";
import { commandOf, directoryOf, inputText } from "./tool-words.ts";

/** Exactly what is asked for: the command, the change, or everything that was handed over. */
export function ApprovalSubject({ request }: { readonly request: AgentEventOf<"approval-request"> }) {
  const { input, subject } = request;
  const reason = reasonOf(request);
  const directory = directoryOf(input);
  return (
    <>
      {(reason !== undefined || directory !== undefined) && (
        <p className="px-3 pt-2 text-[13px] text-soft">
          {reason}
          {reason !== undefined && directory !== undefined && " · "}
          {directory !== undefined && <span className="font-mono text-[12px]">in {directory}</span>}
        </p>
      )}
      <Exactly input={input} subject={subject} />
    </>
  );
}

function Exactly({ input, subject }: { readonly input: unknown; readonly subject: string }) {
  const change = useMemo(() => changeOf(input), [input]);
  if (change !== undefined)
    return <DiffView diff={toDiffRows(change)} label={`Proposed change in ${change.path}`} preview={40} />;
  if (inputText(input, "command") !== undefined || hasWords(input))
    return (
      <ScrollBox label="Command">
        <span aria-hidden="true" className="select-none text-faint">
          ${" "}
        </span>
        {commandOf({ input, name: subject })}
      </ScrollBox>
    );
  return <ScrollBox label="Details">{prettyJson(JSON.stringify(input ?? {}))}</ScrollBox>;
}

function hasWords(input: unknown): boolean {
  return Array.isArray((input as { readonly argv?: unknown } | null)?.argv);
}

/** The change an edit or a write would make, as far as its arguments tell: the fragment, not the whole file. */
function changeOf(input: unknown) {
  const path = inputText(input, "path", "filePath", "file_path") ?? "the file";
  const before = inputText(input, "old_string", "oldString", "oldText");
  const after = inputText(input, "new_string", "newString", "newText", "content", "contents", "fileText");
  if (before !== undefined) return { path, before, after: after ?? "" };
  return after === undefined ? undefined : { path, after };
}
