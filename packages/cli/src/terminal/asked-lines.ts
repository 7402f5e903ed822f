import type { AgentEventOf, Todo } from "@caret/protocol";
import type { Look } from "./look.ts";
import { cleanLine } from "./text-cleaner.ts";

/** The agent's question with the answers it offers. */
export function questionLines({ title, questions }: AgentEventOf<"question">, { style, glyphs }: Look): string[] {
  const head = `${style.yellow(glyphs.question)} ${style.bold(cleanLine(title ?? "The agent asks"))}`;
  const lines = questions.flatMap(({ prompt, options, allowMultiple }) => [
    `  ${cleanLine(prompt)}${allowMultiple ? style.dim(" (several may be chosen)") : ""}`,
    ...options.map(({ label }) => `    ${style.dim(glyphs.bullet)} ${cleanLine(label)}`),
  ]);
  return [head, ...lines];
}

const outcomes: Readonly<Record<AgentEventOf<"question-answer">["outcome"], string>> = {
  answered: "answered",
  skipped: "skipped",
  "no-input-surface": "nobody could be asked",
};

/** The answer in the question's words, if the question is known. */
export function answerLine(
  { outcome, answers = [], reason }: AgentEventOf<"question-answer">,
  question: AgentEventOf<"question"> | undefined,
  { style, glyphs }: Look,
): string {
  const labels = answers.flatMap(({ questionId, optionIds, text }) => {
    const options = question?.questions.find(({ id }) => id === questionId)?.options ?? [];
    const chosen = optionIds.map((optionId) => options.find(({ id }) => id === optionId)?.label ?? optionId);
    return text === undefined ? chosen : [...chosen, text];
  });
  // When no person could be asked, upstream claims that the user rejected it.
  const why = outcome === "no-input-surface" ? "" : (reason ?? "");
  const words = [outcomes[outcome], labels.join(", "), why].filter((part) => part !== "").map(cleanLine);
  return `  ${style.dim(`${glyphs.arrow} ${words.join(": ")}`)}`;
}

type Answer = AgentEventOf<"approval-answer">;

const decisions: Readonly<Record<Answer["decision"], string>> = { approved: "approved", rejected: "denied" };

const deciders: Readonly<Record<Exclude<Answer["by"], "nobody">, string>> = {
  person: "a person",
  policy: "the policy",
  grant: "an earlier approval",
  agent: "the agent",
};

export function approvalLine({ decision, by, reason }: Answer, subject: string, { style, glyphs }: Look): string {
  const mark = decision === "approved" ? style.green(glyphs.ok) : style.yellow(glyphs.stopped);
  const why = reason === undefined ? "" : `: ${cleanLine(reason)}`;
  const how = by === "nobody" ? "not run" : `${decisions[decision]} by ${deciders[by]}`;
  return `${mark} ${style.dim(`${cleanLine(subject)} ${glyphs.separator} ${how}${why}`)}`;
}

export function todoLines(todos: readonly Todo[], { style, glyphs }: Look): string[] {
  return todos.map(({ status, content }) => {
    const text = cleanLine(content);
    const isOver = status === "completed" || status === "cancelled";
    const shown = status === "in-progress" ? style.bold(text) : isOver ? style.dim(text) : text;
    return `  ${glyphs.todos[status]} ${shown}`;
  });
}
