import type { AgentEventOf } from "@caret/protocol";

type Question = AgentEventOf<"question">["questions"][number];
/** What was picked so far, by the question's id. That is the agent's word, and may be one that every object knows. */
export type Picks = ReadonlyMap<string, readonly string[]>;

export const noPicks: Picks = new Map();

/** A pick replaces the one before it, or joins it where several are allowed; picking again takes it back there. */
export function pick(picks: Picks, question: Question, optionId: string): Picks {
  const before = picks.get(question.id) ?? [];
  if (!question.allowMultiple) return new Map(picks).set(question.id, [optionId]);
  const after = before.includes(optionId) ? before.filter((id) => id !== optionId) : [...before, optionId];
  return new Map(picks).set(question.id, after);
}

export function isComplete(picks: Picks, questions: readonly Question[]): boolean {
  return questions.every(({ id }) => (picks.get(id)?.length ?? 0) > 0);
}

export function toAnswers(picks: Picks, questions: readonly Question[]) {
  return questions.map(({ id }) => ({ questionId: id, optionIds: picks.get(id) ?? [] }));
}

/** What was answered, in the words of the options. */
export function answerWords(question: Question, answer: AgentEventOf<"question-answer">): string {
  if (answer.outcome !== "answered") return "";
  const picked = answer.answers?.find(({ questionId }) => questionId === question.id)?.optionIds ?? [];
  const labels = picked.map((id) => question.options.find((option) => option.id === id)?.label ?? id);
  return labels.length === 0 ? "no choice" : labels.join(", ");
}
