import type { AgentEventOf, PermissionWord } from "@caret/protocol";
import { permissionLabels } from "../parts/permission-labels.ts";
import { inputText } from "./tool-words.ts";

type Request = AgentEventOf<"approval-request">;

/** What tools do, by how their names begin. The path, address or query stands where the words have a place for it. */
const phrases: readonly (readonly [name: RegExp, words: (about: string) => string, unknown: string])[] = [
  [/^(exec|shell|bash|run)/i, () => "Run a command", ""],
  [/^edit/i, (path) => `Change ${path}`, "a file"],
  [/^write/i, (path) => `Write ${path}`, "a file"],
  [/^(delete|rm)/i, (path) => `Delete ${path}`, "something"],
  [/^web_?fetch/i, (address) => `Fetch ${address}`, "an address"],
  [/^web_?search/i, (query) => `Search the web for “${query}”`, "?"],
];

/** What wants to happen, as a short sentence: `Run a command`, `Fetch https://…`. */
export function subjectWords({ subject, input }: Request): string {
  const about = inputText(input, "path", "filePath", "file_path", "url", "uri", "query", "searchTerm");
  const phrase = phrases.find(([name]) => name.test(subject));
  if (phrase !== undefined) return phrase[1](about ?? phrase[2]);
  return about === undefined ? `Use ${subject}` : `Use ${subject} on ${about}`;
}

const toolWords: Readonly<Record<string, string>> = {
  exec: "commands",
  web_fetch: "fetching addresses",
  web_search: "searching the web",
};

/** Why the gateway asks, with the names that the page has for permissions and tools. Undefined where the danger says it. */
export function askedWords({ reason, danger }: Request): string | undefined {
  if (reason === undefined || reason === danger) return undefined;
  return reason.replace(
    /^`(supervised|auto-edits|auto)` asks about (.+)$/,
    (_, word: PermissionWord, about: string) => {
      return `${permissionLabels[word]} asks about ${toolWords[about] ?? about}`;
    },
  );
}

/** Why, when the agent said so. */
export function reasonOf({ input }: Request): string | undefined {
  return inputText(input, "description", "reason", "explanation");
}
