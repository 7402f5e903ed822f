import type { AgentEventOf, QuestionChoice } from "@caret/protocol";

type Question = AgentEventOf<"question">["questions"][number];

/** What was picked and written so far, by the question's id. That is the agent's word, and may be one that every object knows. */
export interface Picks {
  readonly options: ReadonlyMap<string, readonly string[]>;
  readonly texts: ReadonlyMap<string, string>;
}

export const noPicks: Picks = { options: new Map(), texts: new Map() };

/** A pick replaces the one before it, or joins it where several are allowed; picking again takes it back there. */
export function pick({ options, texts }: Picks, question: Question, optionId: string): Picks {
  const before = options.get(question.id) ?? [];
  const others = before.filter((id) => id !== optionId);
  const after = !question.allowMultiple ? [optionId] : before.includes(optionId) ? others : [...before, optionId];
  return { options: new Map(options).set(question.id, after), texts };
}

/** The person's own words, instead of the options or besides them. */
export function write({ options, texts }: Picks, question: Question, text: string): Picks {
  return { options, texts: new Map(texts).set(question.id, text) };
}

export function isComplete({ options, texts }: Picks, questions: readonly Question[]): boolean {
  return questions.every(({ id }) => (options.get(id)?.length ?? 0) > 0 || (texts.get(id) ?? "").trim() !== "");
}

export function toAnswers({ options, texts }: Picks, questions: readonly Question[]): readonly QuestionChoice[] {
  return questions.map(({ id }) => {
    const text = (texts.get(id) ?? "").trim();
    return { questionId: id, optionIds: options.get(id) ?? [], ...(text !== "" && { text }) };
  });
}

/** What was answered, in the words of the options and the person's own. */
export function answerWords(question: Question, answer: AgentEventOf<"question-answer">): string {
  if (answer.outcome !== "answered") return "";
  const { optionIds = [], text } = answer.answers?.find(({ questionId }) => questionId === question.id) ?? {};
  const labels = optionIds.map((id) => question.options.find((option) => option.id === id)?.label ?? id);
  const said = text === undefined ? labels : [...labels, `“${text}”`];
  return said.length === 0 ? "no choice" : said.join(", ");
}
