import { type AgentEventOf, type FileDiff, markHidden } from "@caret/protocol";
import { TriangleAlert } from "lucide-react";
import { Fragment } from "react";
import { toDiffRows } from "../diff/diff-rows.ts";
import { DiffView } from "../diff/diff-view.tsx";
import { Words } from "../parts/field.tsx";
import { askedWords, reasonOf } from "./approval-words.ts";
import { prettyJson } from "./raw-view.tsx";
import { ScrollBox } from "./scroll-box.tsx";
import { directoryOf, inputText } from "./tool-words.ts";

type Request = AgentEventOf<"approval-request">;

/** Exactly what is asked for: why, the command or the change it would make, and every argument that these do not show. */
export function ApprovalSubject({ request }: { readonly request: Request }) {
  const { input, diff, danger, effect } = request;
  const command = commandIn(input);
  const rest = restOf(request, command !== undefined);
  return (
    <>
      {danger !== undefined && (
        <p className="flex items-start gap-2 bg-bad/10 px-3 py-2 font-medium text-[13px] text-bad">
          <TriangleAlert size={14} aria-hidden="true" className="mt-[3px] shrink-0" />
          <span>
            Dangerous: <Words text={markHidden(danger)} />
          </span>
        </p>
      )}
      <Why request={request} />
      {effect !== undefined && <p className="px-3 pt-2 text-[13px]">{markHidden(effect)}</p>}
      {command !== undefined && (
        <ScrollBox label="Command">
          <span aria-hidden="true" className="select-none text-faint">
            ${" "}
          </span>
          {command}
        </ScrollBox>
      )}
      {diff !== undefined && (
        <DiffView
          diff={toDiffRows(marked(diff))}
          path={diff.path}
          label={`Proposed change in ${diff.path}`}
          preview={40}
        />
      )}
      {rest !== undefined && <ScrollBox label="Arguments">{rest}</ScrollBox>}
    </>
  );
}

function marked({ path, before, after, unified }: FileDiff): FileDiff {
  return {
    path,
    ...(before !== undefined && { before: markHidden(before) }),
    ...(after !== undefined && { after: markHidden(after) }),
    ...(unified !== undefined && { unified: markHidden(unified) }),
  };
}

function Why({ request }: { readonly request: Request }) {
  const directory = directoryOf(request.input);
  const asked = askedWords(request);
  const said = reasonOf(request);
  const parts = [
    // The gateway's own sentence; what the agent says is shown as it is, backticks and all.
    asked !== undefined && <Words text={markHidden(asked)} />,
    said !== undefined && markHidden(said),
    directory !== undefined && <span className="font-mono text-[12px]">in {markHidden(directory)}</span>,
  ].filter((part) => part !== false);
  if (parts.length === 0) return null;
  return (
    <p className="px-3 pt-2 text-[13px] text-soft">
      {parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they never change places
        <Fragment key={index}>
          {index > 0 && " · "}
          {part}
        </Fragment>
      ))}
    </p>
  );
}

/** A command line as it is; words of an argument list each in quotes, so that their bounds are seen. */
function commandIn(input: unknown): string | undefined {
  const command = inputText(input, "command", "cmd", "chars");
  if (command !== undefined) return markHidden(command);
  const words = (input as { readonly argv?: unknown } | null)?.argv;
  return Array.isArray(words) ? words.map((word) => markHidden(JSON.stringify(word))).join(" ") : undefined;
}

const shownWithCommand = ["command", "cmd", "chars", "argv", "cwd", "workingDirectory", "working_directory"];
const shownWithDiff = ["path", "filePath", "file_path", "content", "contents", "old_string", "new_string"];
const shownAsReason = ["description", "reason", "explanation"];

/** Arguments that nothing above shows. Nothing that was asked for may stay out of sight. */
function restOf({ input, diff, server }: Request, hasCommand: boolean): string | undefined {
  if (typeof input !== "object" || input === null || Array.isArray(input))
    return input === undefined ? undefined : markHidden(prettyJson(JSON.stringify(input)));
  // A tool of an MCP server may mean anything by these names.
  const isOurs = server === undefined;
  const shown = new Set([
    ...(isOurs && hasCommand ? shownWithCommand : []),
    ...(isOurs && diff !== undefined ? shownWithDiff : []),
    ...(isOurs ? shownAsReason : []),
  ]);
  const rest = Object.entries(input).filter(([name]) => !shown.has(name));
  return rest.length === 0 ? undefined : markHidden(prettyJson(JSON.stringify(Object.fromEntries(rest))));
}
