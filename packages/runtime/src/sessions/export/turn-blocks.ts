import {
  type AgentEventOf,
  assertNever,
  mainArgument,
  oneLine,
  pricedUsage,
  type TranscriptItem,
  type TranscriptTurn,
  turnTimes,
  usageWords,
} from "@caret/protocol";

/** A part of a turn, in the few shapes that a document for reading has. */
export type DocumentBlock =
  | { readonly kind: "prompt"; readonly text: string }
  | { readonly kind: "text"; readonly text: string }
  /** One line. */
  | { readonly kind: "note"; readonly text: string }
  /** Of interest to some: folded away where the format can. */
  | { readonly kind: "details"; readonly title: string; readonly text: string };

/** What a turn is in a document: what was asked, what happened in its order, and how it ended. */
export function turnBlocks(turn: TranscriptTurn): readonly DocumentBlock[] {
  const prompt = turn.start?.prompt;
  return [
    ...(prompt === undefined ? [] : [{ kind: "prompt" as const, text: prompt }]),
    ...turn.items.flatMap(itemBlocks),
    { kind: "note", text: endText(turn) },
  ];
}

function itemBlocks(item: TranscriptItem): readonly DocumentBlock[] {
  switch (item.kind) {
    case "text":
      return item.text.trim() === "" ? [] : [{ kind: "text", text: item.text }];
    case "thinking":
      return item.text.trim() === "" ? [] : [{ kind: "details", title: thinkingTitle(item), text: item.text }];
    case "tool":
      return [{ kind: "details", title: toolTitle(item), text: toolText(item) }];
    case "todos":
      return [note(item.items.map(({ status, content }) => `${status === "completed" ? "☑" : "☐"} ${content}`))];
    case "plan":
      return [{ kind: "text", text: item.plan.text }];
    case "question":
      return item.question.questions.map((question) => note([question.prompt, answerText(item, question)]));
    case "approval":
      return approvalBlocks(item);
    case "notice":
      return [note([item.notice.kind === "steer" ? `Said meanwhile: ${item.notice.message}` : item.notice.message])];
    case "unknown":
      return [{ kind: "details", title: `Unknown: ${item.label}`, text: toText(item.value) }];
    default:
      return assertNever(item);
  }
}

/** Calls that the policy or the agent approved by itself have no block of their own: the call shows it. */
function approvalBlocks({ request, answer }: ItemOf<"approval">): readonly DocumentBlock[] {
  if (answer?.by === "policy" || answer?.by === "agent")
    return answer.decision === "approved" ? [] : [note([request.subject, decisionText(answer)])];
  return [note([`Asked to allow ${request.subject}`, decisionText(answer)])];
}

type ItemOf<Kind extends TranscriptItem["kind"]> = Extract<TranscriptItem, { readonly kind: Kind }>;

function note(parts: readonly string[]): DocumentBlock {
  return { kind: "note", text: oneLine(parts.join(" · ")) };
}

function thinkingTitle({ durationMs }: ItemOf<"thinking">): string {
  return durationMs === undefined ? "Thinking" : `Thinking, ${seconds(durationMs)}`;
}

function toolTitle({ tool }: ItemOf<"tool">): string {
  const about = oneLine(mainArgument(tool), 200);
  const how = tool.status === "ok" ? "" : ` (${tool.notRun === true ? "not run" : tool.status})`;
  return `${[tool.name, about].filter((part) => part !== "").join(": ")}${how}`;
}

function toolText({ tool }: ItemOf<"tool">): string {
  const parts = [toText(tool.input), tool.diff?.unified ?? "", tool.output];
  return parts.filter((part) => part.trim() !== "").join("\n\n");
}

function answerText(
  { answer }: ItemOf<"question">,
  { id, options }: AgentEventOf<"question">["questions"][number],
): string {
  const { optionIds = [], text } = answer?.answers?.find(({ questionId }) => questionId === id) ?? {};
  const chosen = options.filter((option) => optionIds.includes(option.id)).map(({ label }) => label);
  const labels = text === undefined ? chosen : [...chosen, text];
  return labels.length > 0 ? labels.join(", ") : (answer?.outcome ?? "no answer");
}

function decisionText(answer: ItemOf<"approval">["answer"]): string {
  if (answer === undefined) return "no answer";
  const how = answer.by === "nobody" ? "not run" : `${answer.decision} by ${answer.by}`;
  return `${how}${answer.reason === undefined ? "" : `: ${answer.reason}`}`;
}

function endText(turn: TranscriptTurn): string {
  const { outcome } = turn;
  const how =
    outcome === undefined
      ? "still running"
      : outcome.kind === "failed"
        ? `failed: ${outcome.error.message}`
        : outcome.kind;
  const by = turn.start?.lane === "sim" ? ["simulated"] : [];
  return [how, ...by, seconds(turnTimes(turn).workedMs), ...usageWords(pricedUsage(turn))].join(" · ");
}

function seconds(ms: number): string {
  return `${(Math.max(0, ms) / 1000).toFixed(1)} s`;
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "");
}
