import type { Intent } from "./intent.ts";

/** What changes something: it is done for an order only, never for words that merely mention it. */
const consequential: ReadonlySet<Intent["kind"]> = new Set(["run", "write", "edit", "delete"]);

/** What may stand before the verb of an order. */
const politeLead =
  /^(?:[\s"'(*•>-]|\d+[.)]|please|kindly|now|then|first(?:ly)?|second(?:ly)?|third(?:ly)?|also|and|next|finally|just|again|so|okay|ok|hey|hi|hello|yes|(?:can|could|would|will|must|should) you|(?:i(?:'d| would)? (?:want|like|need) you|you (?:are|have|need)|i want|i need|your (?:task|job) is|try|be sure|make sure|remember|go ahead) (?:to|and)|you (?:should|must|can|may|will)|let'?s|let us|(?:your |the )?(?:task|todo|step \d+)(?=:)|(?:in|inside|within|for|from|using|with|via) [^\s,]+(?: [^\s,]+){0,3}?(?=,|\s+$)|use (?:the |your |a )?[\w-]+(?: tool)? to|[,;:])*$/i;

/** Whether a clause may mean these intents, given what stands before the verb that they were found by. */
export function isOrdered(intents: readonly Intent[], lead: string): boolean {
  return !intents.some(({ kind }) => consequential.has(kind)) || politeLead.test(lead.slice(-200));
}

const sentence = String.raw`(?:[^.!?;\n]|[.!?;](?!\s|$))`;
const forbidding = new RegExp(
  String.raw`(^|[.!?;\n]\s*)(?:[-*]\s+|\d+[.)]\s+)?(?:please\s+)?(?:do not|don't|never|avoid|you (?:must|should|may|shall) (?:not|never)|under no circumstances)\b${sentence}*?(?=,\s*(?:just|but|instead|only|rather)\b|[.!?;](?:\s|$)|\n|$)`,
  "gi",
);
const conditional = new RegExp(
  String.raw`(^|[.!?;\n]\s*)((?:[-*]\s+|\d+[.)]\s+)?(?:if|unless|in case|whenever|when(?!\s+(?:you(?:'re| are)\s+)?(?:done|finished|ready)))\b${sentence}*)`,
  "gi",
);

/** A prompt without what it forbids, and with each of its conditional sentences in one piece: no part of it is an order. */
export function withoutForbidden(prompt: string): string {
  return prompt
    .replace(forbidding, "$1")
    .replace(
      conditional,
      (_, before: string, whole: string) => `${before}${whole.replace(/,|\b(?:and|then)\b/gi, " ")}`,
    );
}
