import type { PermissionWord } from "@caret/protocol";
import { permissionLabels } from "../parts/permission-labels.ts";

const toolWords: Readonly<Record<string, string>> = {
  exec: "commands",
  web_fetch: "fetching addresses",
  web_search: "searching the web",
};

/** Why the gateway asks, with the names that the page has for permissions and tools. */
export function askedWords(reason: string): string {
  return reason.replace(
    /^`(supervised|auto-edits|auto)` asks about (.+)$/,
    (_, word: PermissionWord, about: string) => {
      return `${permissionLabels[word]} asks about ${toolWords[about] ?? about}`;
    },
  );
}
