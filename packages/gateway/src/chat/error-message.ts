import { type ErrorInfo, errorCatalogue } from "@caret/protocol";

/** What failed, upstream's words if any, and what to do: clients show the message and little else. */
export function errorMessage({ code, message, fix, upstream = "" }: ErrorInfo): string {
  const words = message.includes(upstream) ? "" : upstream;
  // A message about a bad request says what to correct; the catalogue's general advice adds nothing.
  const advice = fix === errorCatalogue["invalid-request"].fix && code === "invalid-request" ? "" : fix;
  return [message, words, advice]
    .map((part) => part.trim())
    .filter(Boolean)
    .map(asSentence)
    .join(" ");
}

/** Ends the message with a full stop, so another sentence can follow. */
function asSentence(text: string): string {
  return /[.!?:]\)?$/.test(text) ? text : `${text}.`;
}
