import { type AnswerFormat, CaretError, type ConversationRequest, weightOf, weightWithin } from "@caret/protocol";
import type { JsonValidators } from "./json-validator.ts";
import { type FoundJson, unwrapJson } from "./unwrap-json.ts";

/** What a text that the agent has ended with is to its client. */
export type Judgement =
  /** `text` is what the client is given, in place of all that the agent said. */
  { readonly kind: "met"; readonly text: string } | { readonly kind: "unmet"; readonly problem: string };

/** What a request demands of the text of its answer. */
export interface FormatDemand {
  /** `texts`: what the agent may have meant as its answer, the likeliest first. */
  judge(texts: readonly string[]): Judgement;
  /** So long that the answer will be cut, and that whatever is in it will not be whole. */
  isOverlong(text: string): boolean;
  /** The JSON that is demanded, in words. */
  readonly rule: string;
}

type Limits = Pick<ConversationRequest, "maxOutputTokens" | "stopSequences">;

const ANY_OBJECT = { type: "object" };

/** Throws `invalid-request` for a schema that nothing can be checked against. */
export function formatDemandOf(
  { schema = ANY_OBJECT, field }: AnswerFormat,
  { maxOutputTokens, stopSequences = [] }: Limits,
  validators: JsonValidators,
): FormatDemand {
  const complaintOf = validators(schema, field);
  const room = maxOutputTokens === undefined ? Number.POSITIVE_INFINITY : weightWithin(maxOutputTokens);
  const isOverlong = (text: string): boolean => text.length * 4 > room && weightOf(text) > room;

  const problemOf = (found: FoundJson | undefined): string | undefined => {
    if (found === undefined) return "it was not one JSON value and nothing else";
    const stop = stopSequences.find((sequence) => found.text.includes(sequence));
    return stop === undefined
      ? complaintOf(found.value)
      : `it holds ${JSON.stringify(stop)}, where an answer has to stop`;
  };
  const given = (text: string): string | undefined => {
    const found = unwrapJson(text);
    return found !== undefined && problemOf(found) === undefined ? found.text : undefined;
  };

  return {
    isOverlong,
    rule: `It must match this JSON Schema:\n${JSON.stringify(schema)}`,
    judge(texts) {
      const [likeliest = ""] = texts;
      for (const text of texts) {
        const met = given(text) ?? upToStop(text, stopSequences, given);
        if (met !== undefined) return { kind: "met", text: met };
      }
      // It is cut where it is shown. No more is known of it than of any other text that was cut.
      if (isOverlong(likeliest)) return { kind: "met", text: withoutFence(likeliest) };
      return { kind: "unmet", problem: problemOf(unwrapJson(likeliest)) ?? "it was not whole" };
    },
  };
}

/** The JSON before the first stop sequence, with that sequence: the door ends the answer there, and says why. */
function upToStop(
  text: string,
  sequences: readonly string[],
  given: (text: string) => string | undefined,
): string | undefined {
  const places = sequences.map((sequence) => ({ sequence, at: text.indexOf(sequence) })).filter(({ at }) => at >= 0);
  const first = places.toSorted((a, b) => a.at - b.at)[0];
  const json = first && given(text.slice(0, first.at));
  if (first === undefined || json === undefined) return undefined;
  const marked = json + first.sequence;
  // Without the white space between the two another sequence may arise.
  const isCutInTime = sequences.every(
    (sequence) => !(marked.indexOf(sequence) < json.length && marked.includes(sequence)),
  );
  return isCutInTime ? marked : json;
}

function withoutFence(text: string): string {
  return text.trimStart().replace(/^```[^\n`]*\n/, "");
}

/** The prompt for an agent whose answer was not what is demanded. */
export function formatAgain(problem: string, { rule }: FormatDemand): string {
  return `Your last answer cannot be used: ${problem}. The work is done: do none of it again. Say the answer once more, as JSON and nothing else: no code fence, no words before or after it. ${rule}`;
}

export function formatUnmet(problem: string): CaretError {
  return new CaretError(
    "format-not-met",
    `The agent's answer is not in the format that was demanded, though it was asked twice: ${problem}`,
  );
}
