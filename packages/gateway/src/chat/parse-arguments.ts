import { parseJson } from "@caret/protocol";
/** A call's arguments as JSON, or as they came when a model wrote something else. */
export function parseArguments(text: string): unknown {
  // A model's broken JSON is part of the transcript and stays as it was.
  return text.trim() === "" ? {} : parseJson(text, text);
}
