import { type AnswerFormat, CaretError, type ConversationRequest, weightOf, weightWithin } from "@caret/protocol";
import type { JsonValidators } from "./json-validator.ts";
import { type FoundJson, unwrapJson } from "./unwrap-json.ts";

/** How the client may use a text the agent ended with. */
export type Judgement =
  /** `text` is what the client gets instead of all that the agent said. */
  { readonly kind: "met"; readonly text: string } | { readonly kind: "unmet"; readonly problem: string };

/** What a request demands of its answer's text. */
export interface FormatDemand {
  /** `texts`: candidates for the answer, likeliest first. */
  judge(texts: readonly string[]): Judgement;
  /** So long that the answer will be cut, which leaves anything in it incomplete. */
  isOverlong(text: string): boolean;
  /** The demanded JSON, in words. */
  readonly rule: string;
}

type Limits = Pick<ConversationRequest, "maxOutputTokens" | "stopSequences">;

const ANY_OBJECT = { type: "object" };

/** Throws `invalid-request` for a schema that cannot be compiled. */
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
      // The door cuts it. As with any cut text, it cannot be checked further.
      if (isOverlong(likeliest)) return { kind: "met", text: withoutFence(likeliest) };
      return { kind: "unmet", problem: problemOf(unwrapJson(likeliest)) ?? "it was not whole" };
    },
  };
}

/** The JSON before the first stop sequence, including that sequence: the door ends the answer there and says why. */
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
  // Removing the white space between the two may create another sequence.
  const isCutInTime = sequences.every(
    (sequence) => !(marked.indexOf(sequence) < json.length && marked.includes(sequence)),
  );
  return isCutInTime ? marked : json;
}

function withoutFence(text: string): string {
  return text.trimStart().replace(/^```[^\n`]*\n/, "");
}

/** The prompt for an agent whose answer did not meet the demand. */
export function formatAgain(problem: string, { rule }: FormatDemand): string {
  return `Your last answer cannot be used: ${problem}. The work is done: do none of it again. Say the answer once more, as JSON and nothing else: no code fence, no words before or after it. ${rule}`;
}

export function formatUnmet(problem: string): CaretError {
  return new CaretError(
    "format-not-met",
    `The agent's answer is not in the format that was demanded, though it was asked twice: ${problem}`,
  );
}
