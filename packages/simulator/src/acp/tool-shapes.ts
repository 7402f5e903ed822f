import { isRecord } from "../json/json.ts";
import type { AskedCall } from "../tools/asker.ts";
import type { ToolOutcome } from "../tools/tool-run.ts";

type Json = Readonly<Record<string, unknown>>;

const kinds: Readonly<Record<string, string>> = {
  shellToolCall: "execute",
  readToolCall: "read",
  lsToolCall: "read",
  editToolCall: "edit",
  deleteToolCall: "delete",
  grepToolCall: "search",
  globToolCall: "search",
  webFetchToolCall: "fetch",
  webSearchToolCall: "search",
  updateTodosToolCall: "think",
};

/** Arguments that this mode shows; the rest of the wire's are its own business. */
const shownArgs: Readonly<Record<string, readonly string[]>> = {
  shellToolCall: ["command", "workingDirectory"],
  editToolCall: ["path"],
};

export function kindOf(key: string): string {
  return kinds[key] ?? "other";
}

export function titleOf({ key, args }: Pick<AskedCall, "key" | "args">): string {
  const name = toolName(key);
  const subject = args["path"] ?? args["pattern"] ?? args["globPattern"] ?? args["url"] ?? args["description"];
  if (key === "shellToolCall") return `\`${String(args["command"])}\``;
  return typeof subject === "string" ? `${name} ${subject}` : name;
}

export function rawInputOf({ key, args }: Pick<AskedCall, "key" | "args">): Json {
  const names = shownArgs[key];
  const shown = names === undefined ? args : Object.fromEntries(names.map((name) => [name, args[name]]));
  return { _toolName: toolName(key), ...shown };
}

/** What went well is there without its arm; of anything else the arm is all there is to tell it by. */
export function rawOutputOf({ result }: ToolOutcome): Json {
  const { success, failure, ...rest } = result;
  const done = success ?? failure;
  return isRecord(done) ? done : rest;
}

/** A diff for an edit, else what the model reads. */
export function contentOf({ key, args }: Pick<AskedCall, "key" | "args">, { result, output }: ToolOutcome): Json[] {
  const { success } = result;
  if (key !== "editToolCall" || !isRecord(success))
    return [{ type: "content", content: { type: "text", text: output } }];
  const oldText = success["beforeFullFileContent"] ?? "-- /dev/null";
  return [{ type: "diff", path: args["path"], oldText, newText: success["afterFullFileContent"] }];
}

function toolName(key: string): string {
  return key.replace(/ToolCall$/, "");
}
