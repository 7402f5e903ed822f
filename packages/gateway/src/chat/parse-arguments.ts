/** A call's arguments as JSON, or as they came when a model wrote something else. */
export function parseArguments(text: string): unknown {
  if (text.trim() === "") return {};
  try {
    return JSON.parse(text);
  } catch {
    // The transcript is told as it was: a model's broken JSON is part of it.
    return text;
  }
}
