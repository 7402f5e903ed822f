import type { AgentEventOf } from "@caret/protocol";
import { inputText } from "./tool-words.ts";

type Request = AgentEventOf<"approval-request">;

/** What wants to happen, as a short sentence: `Run a command`, `Fetch https://…`. */
export function subjectWords({ subject, input }: Request): string {
  const path = inputText(input, "path", "filePath", "file_path");
  if (/^(exec|shell|bash|run)/i.test(subject)) return "Run a command";
  if (/^edit/i.test(subject)) return path === undefined ? "Change a file" : `Change ${path}`;
  if (/^write/i.test(subject)) return path === undefined ? "Write a file" : `Write ${path}`;
  if (/^(delete|rm)/i.test(subject)) return path === undefined ? "Delete something" : `Delete ${path}`;
  if (/^web_?fetch/i.test(subject)) return `Fetch ${inputText(input, "url", "uri") ?? "an address"}`;
  if (/^web_?search/i.test(subject)) return `Search the web for “${inputText(input, "query", "searchTerm") ?? "?"}”`;
  return path === undefined ? `Use ${subject}` : `Use ${subject} on ${path}`;
}

/** Why, when the agent said so. */
export function reasonOf({ input }: Request): string | undefined {
  return inputText(input, "description", "reason", "explanation");
}
