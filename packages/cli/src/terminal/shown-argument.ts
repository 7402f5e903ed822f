import { isAbsolute, relative } from "node:path";
import { type ToolActivity, tellingArgument } from "@caret/protocol";
import { cleanLine } from "./text-cleaner.ts";

/** What a call is about, on one line that cannot steer the terminal. Paths inside the workspace are told from there. */
export function shownArgument(call: Pick<ToolActivity, "kind" | "input">, workspace?: string): string {
  return cleanLine(fromWorkspace(tellingArgument(call), workspace));
}

function fromWorkspace(text: string, workspace: string | undefined): string {
  if (workspace === undefined || !isAbsolute(text)) return text;
  const inside = relative(workspace, text);
  return inside.startsWith("..") || isAbsolute(inside) ? text : inside || ".";
}
