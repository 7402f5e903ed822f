import type { AgentEventOf } from "@caret/protocol";
import { MessageCircleQuestionMark } from "lucide-react";
import { useRef } from "react";
import { Button } from "../parts/button.tsx";
import { Duration } from "../parts/duration.tsx";
import { TextInput } from "../parts/field.tsx";
import { useRemembered } from "./card.tsx";
import { answerWords, isComplete, noPicks, type Picks, pick, toAnswers, write } from "./question-answers.ts";
import { useCommand, useTranscriptActions } from "./transcript-actions.ts";
import type { ItemOf } from "./transcript-rows.ts";
import { useWantedFocus } from "./wanted-question.ts";

type Question = AgentEventOf<"question">["questions"][number];

interface QuestionCardProps {
  readonly item: ItemOf<"question">;
  readonly isOver: boolean;
}

/** What the agent wants to know before it goes on. */
export function QuestionCard({ item, isOver }: QuestionCardProps) {
  const { answerQuestion } = useTranscriptActions();
  if (item.answer !== undefined || isOver || answerQuestion === undefined) return <SettledQuestion item={item} />;
  return <OpenQuestion item={item} />;
}

function OpenQuestion({ item: { question, at } }: { readonly item: ItemOf<"question"> }) {
  const { answerQuestion } = useTranscriptActions();
  const { questions, requestId } = question;
  const [picks, setPicks] = useRemembered<Picks>(`picks ${requestId}`, noPicks);
  const { run, isBusy, failure } = useCommand();
  const card = useRef<HTMLFormElement>(null);
  useWantedFocus(requestId, card);
  const send = () => run(async () => answerQuestion?.(requestId, { answers: toAnswers(picks, questions) }));
  return (
    <form
      ref={card}
      aria-label={question.title ?? "Question"}
      className="overflow-hidden rounded-md border border-warn/60 bg-raised"
      onSubmit={(event) => {
        event.preventDefault();
        if (isComplete(picks, questions)) send();
      }}
    >
      <header className="flex items-center gap-2 border-line border-b bg-warn/10 px-3 py-2">
        <MessageCircleQuestionMark size={16} aria-hidden="true" className="shrink-0 text-warn" />
        <h3 className="min-w-0 flex-1 font-medium">{question.title ?? "A question for you"}</h3>
        <span className="shrink-0 text-[12px] text-soft">
          Waiting for you · <Duration since={at} />
        </span>
      </header>
      {questions.map((each) => (
        <Options key={each.id} question={each} picks={picks} name={`${requestId} ${each.id}`} onChange={setPicks} />
      ))}
      <footer className="flex flex-wrap items-center gap-2 border-line border-t px-3 py-2">
        <Button tone="primary" type="submit" disabled={isBusy || !isComplete(picks, questions)}>
          Answer
        </Button>
        <Button tone="quiet" disabled={isBusy} onClick={() => run(async () => answerQuestion?.(requestId, {}))}>
          Skip
        </Button>
        {failure !== undefined && (
          <p role="alert" className="w-full text-[13px] text-bad">
            {failure}
          </p>
        )}
      </footer>
    </form>
  );
}

interface OptionsProps {
  readonly question: Question;
  readonly picks: Picks;
  readonly name: string;
  readonly onChange: (picks: Picks) => void;
}

function Options({ question, picks, name, onChange }: OptionsProps) {
  return (
    <fieldset className="px-3 py-2">
      <legend className="float-left mb-1 w-full">{question.prompt}</legend>
      {question.options.map((option) => (
        <label
          key={option.id}
          className="clear-both flex min-h-8 cursor-pointer items-center gap-2 rounded px-1 hover:bg-panel max-md:min-h-10"
        >
          <input
            type={question.allowMultiple ? "checkbox" : "radio"}
            name={name}
            className="size-4 shrink-0 accent-accent"
            checked={picks.options.get(question.id)?.includes(option.id) ?? false}
            onChange={() => onChange(pick(picks, question, option.id))}
          />
          {option.label}
        </label>
      ))}
      <TextInput
        aria-label={`In your own words: ${question.prompt}`}
        className="mt-1"
        maxLength={4_000}
        onChange={(event) => onChange(write(picks, question, event.target.value))}
        placeholder="Or in your own words"
        value={picks.texts.get(question.id) ?? ""}
      />
    </fieldset>
  );
}

/** With what could have been answered, where nothing was: in a replay the answer is yet to come. */
function SettledQuestion({ item: { question, answer } }: { readonly item: ItemOf<"question"> }) {
  return (
    <article aria-label={question.title ?? "Question"} className="rounded-md border border-line px-3 py-2 text-[13px]">
      {question.questions.map((each) => (
        <div key={each.id} className="[overflow-wrap:anywhere]">
          <span className="text-soft">{each.prompt}</span>{" "}
          {answer?.outcome === "answered" ? (
            <strong className="font-medium">{answerWords(each, answer)}</strong>
          ) : (
            <ul className="list-disc pl-5">
              {each.options.map(({ id, label }) => (
                <li key={id}>{label}</li>
              ))}
            </ul>
          )}
        </div>
      ))}
      {answer?.outcome !== "answered" && <p className="text-faint">{outcomeWords(answer)}</p>}
    </article>
  );
}

function outcomeWords(answer: AgentEventOf<"question-answer"> | undefined): string {
  if (answer === undefined) return "Not answered.";
  const reason = answer.reason === undefined ? "" : ` ${answer.reason}`;
  // The reason that an agent without a way to ask is given, "skipped by the user", is not true.
  return answer.outcome === "skipped" ? `Skipped.${reason}` : "Not asked: Cursor's CLI cannot ask in this mode.";
}
