import type { ToolActivity, ToolKind } from "@caret/protocol";
import {
  Bot,
  FilePen,
  FilePlus,
  FileText,
  Globe,
  ListTodo,
  type LucideIcon,
  MessageCircleQuestionMark,
  Map as PlanIcon,
  Plug,
  Search,
  SquareTerminal,
  Wrench,
} from "lucide-react";
import type { ReactNode } from "react";
import { ChangeCount } from "../diff/change-count.tsx";
import { toDiffRows } from "../diff/diff-rows.ts";
import { Duration, formatDuration } from "../parts/duration.tsx";
import { Spinner } from "../parts/placeholders.tsx";
import { Card, type CardFile } from "./card.tsx";
import { ReadBody } from "./read-body.tsx";
import { EditBody, FieldsBody, ShellBody, TaskBody, TextBody } from "./tool-bodies.tsx";
import { commandOf, firstLineOf, isDeletion, pathOf, toolWords, useShownPath } from "./tool-words.ts";
import type { ItemOf } from "./transcript-rows.ts";

/** Shorter ones are not worth a word. */
const WORTH_TELLING_MS = 1_000;

const icons: Readonly<Record<ToolKind, LucideIcon>> = {
  shell: SquareTerminal,
  read: FileText,
  edit: FilePen,
  write: FilePlus,
  search: Search,
  fetch: Globe,
  todo: ListTodo,
  task: Bot,
  mcp: Plug,
  question: MessageCircleQuestionMark,
  plan: PlanIcon,
  other: Wrench,
};

/** Kinds that show what they did without being asked: what one reads a transcript for. */
const openKinds: ReadonlySet<ToolKind> = new Set<ToolKind>(["shell", "edit", "write"]);

interface ToolCardProps {
  readonly item: ItemOf<"tool">;
  readonly steps: readonly ItemOf<"tool">[];
  readonly isOver: boolean;
}

/** A call and what came of it. */
export function ToolCard({ item, steps, isOver }: ToolCardProps) {
  const { tool, seq, startedAt, isAsked } = item;
  return (
    <Card
      seq={seq}
      icon={icons[tool.kind]}
      title={<ToolTitle tool={tool} description={item.description} />}
      state={<ToolState tool={tool} startedAt={startedAt} isAsked={isAsked} isOver={isOver} />}
      copyText={copyOf(tool)}
      file={fileOf(tool)}
      isOpenAtFirst={openKinds.has(tool.kind) || tool.status === "error"}
    >
      {bodyOf(item, steps, isOver)}
    </Card>
  );
}

function ToolTitle({ tool, description }: { readonly tool: ToolActivity; readonly description: string | undefined }) {
  const { verb, subject, look, note } = toolWords(tool);
  const counts = tool.diff === undefined ? undefined : toDiffRows(tool.diff);
  return (
    <>
      <span className="shrink-0 font-medium">{verb}</span>
      <span
        className={`flex min-w-0 text-soft ${look === "words" ? "" : "font-mono text-[12px]"}`}
        title={description ?? subject}
      >
        {look === "path" ? <PathWords path={subject} /> : <span className="truncate">{subject}</span>}
      </span>
      {note !== undefined && <span className="shrink-0 text-[12px] text-faint">{note}</span>}
      {counts !== undefined && <ChangeCount additions={counts.additions} deletions={counts.deletions} />}
    </>
  );
}

/** A long path loses its directories first: which file it is, its name says. */
function PathWords({ path: whole }: { readonly path: string }) {
  const path = useShownPath(whole);
  const nameAt = path.lastIndexOf("/") + 1;
  return (
    <>
      {nameAt > 0 && <span className="truncate">{path.slice(0, nameAt)}</span>}
      <span className="max-w-full shrink-0 truncate">{path.slice(nameAt)}</span>
    </>
  );
}

function bodyOf(item: ItemOf<"tool">, steps: readonly ItemOf<"tool">[], isOver: boolean): ReactNode {
  const { tool } = item;
  if (tool.kind === "shell") return <ShellBody item={item} isLive={tool.status === "running" && !isOver} />;
  if (tool.kind === "read" && tool.status === "ok") return <ReadBody item={item} />;
  if (tool.diff !== undefined) return <EditBody item={item} diff={tool.diff} />;
  if (tool.kind === "task") return <TaskBody item={item} steps={steps.map((step) => renderStep(step, isOver))} />;
  if (tool.kind === "mcp" || tool.kind === "other" || tool.kind === "edit" || tool.kind === "write")
    return <FieldsBody item={item} />;
  return <TextBody item={item} />;
}

function renderStep(step: ItemOf<"tool">, isOver: boolean): ReactNode {
  return (
    <li key={step.seq}>
      <ToolCard item={step} steps={[]} isOver={isOver} />
    </li>
  );
}

function copyOf(tool: ToolActivity): string {
  if (tool.diff !== undefined) return tool.diff.after ?? tool.diff.unified ?? tool.output;
  return tool.kind === "shell" ? `$ ${commandOf(tool)}\n${tool.output}` : tool.output;
}

const fileKinds: ReadonlySet<ToolKind> = new Set<ToolKind>(["read", "edit", "write"]);

/** With the line where one would begin to look: the first that was read or changed. */
function fileOf(tool: ToolActivity): CardFile | undefined {
  if (!fileKinds.has(tool.kind) || isDeletion(tool)) return undefined;
  const path = tool.diff?.path ?? pathOf(tool);
  const changed = tool.diff === undefined ? undefined : toDiffRows(tool.diff).rows.find(({ kind }) => kind === "add");
  const line = tool.kind === "read" ? firstLineOf(tool.input) : changed?.newLine;
  return line === undefined || line === 1 ? { path } : { path, line };
}

interface ToolStateProps {
  readonly tool: ToolActivity;
  readonly startedAt: number;
  /** A person is being asked whether it may run: it does not run yet. */
  readonly isAsked?: true | undefined;
  /** The turn is over: what still runs by its own words does not. */
  readonly isOver: boolean;
}

/** How a call went, in words: never by a colour alone. */
function ToolState({ tool, startedAt, isAsked, isOver }: ToolStateProps) {
  if (isAsked && tool.status === "running" && !isOver)
    return <span className="shrink-0 text-[12px] text-warn">Waiting for you</span>;
  if (tool.status === "running" && !isOver)
    return (
      <span className="flex shrink-0 items-center gap-1.5 text-[12px] text-soft">
        <Spinner />
        {tool.owner === "client" ? "Waiting for the client" : "Running"} <Duration since={startedAt} />
      </span>
    );
  const words = failureWords(tool);
  const took = tool.durationMs !== undefined && tool.durationMs >= WORTH_TELLING_MS;
  return (
    <span className="shrink-0 text-[12px] text-faint tabular-nums">
      {words !== undefined && <span className={words.look}>{words.text}</span>}
      {words !== undefined && took && " · "}
      {took && formatDuration(tool.durationMs ?? 0)}
    </span>
  );
}

function failureWords({
  status,
  notRun,
  exitCode,
}: ToolActivity): { readonly text: string; readonly look: string } | undefined {
  if (status === "rejected") return { text: "Denied", look: "text-warn" };
  if (notRun === true) return { text: "Not run", look: "text-warn" };
  if (status === "interrupted" || status === "running") return { text: "Interrupted", look: "text-warn" };
  if (exitCode !== undefined && exitCode !== 0) return { text: `exit ${exitCode}`, look: "text-bad" };
  if (status === "error") return { text: "Failed", look: "text-bad" };
  return undefined;
}
