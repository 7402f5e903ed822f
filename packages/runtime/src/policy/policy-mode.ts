import type { ToolKind } from "@caret/protocol";
import type { PolicyCall, PolicyPart, PolicyVerdict } from "./policy-parts.ts";

/**
 * How much happens without asking, in words for people:
 * - `supervised`: the agent looks, and asks about everything else;
 * - `auto-edits`: it also changes files of the workspace;
 * - `auto`: it also runs commands, except dangerous ones and those that cannot be analysed;
 * - `full`: it does everything.
 */
export const policyModes = ["supervised", "auto-edits", "auto", "full"] as const;
export type PolicyMode = (typeof policyModes)[number];

/** Looking, and talking to the user, change nothing. */
const harmless: ReadonlySet<ToolKind> = new Set(["read", "search", "todo", "question", "plan"]);

/** Agents talk to each other and to people: the receivers' own actions are judged when they take them. */
const talking: ReadonlySet<string> = new Set([
  "list_agents",
  "send_message",
  "read_inbox",
  "wait_for_reply",
  "report_status",
  "ask_human",
]);

/** `danger` is why the part is dangerous, if it is. */
export function judgeByMode(
  mode: PolicyMode,
  call: PolicyCall,
  part: PolicyPart,
  danger: string | undefined,
): PolicyVerdict {
  if (mode === "full") return { effect: "allow", reason: "`full` allows everything" };
  if (talking.has(call.tool)) return { effect: "allow", reason: `\`${mode}\` allows talking` };
  if (harmless.has(call.kind)) return { effect: "allow", reason: `\`${mode}\` allows looking` };
  if (isOfCommand(part) && danger === undefined)
    return { effect: "allow", reason: "the command that names the file is judged by itself" };
  if (isChange(call, part)) return judgeChange(mode, part, danger);
  if (call.kind === "shell" && mode === "auto" && danger === undefined)
    return { effect: "allow", reason: "`auto` allows commands" };
  return { effect: "ask", reason: danger ?? `\`${mode}\` asks about ${call.tool}` };
}

/**
 * Extra restrictions of a turn that only reads (`plan`, `ask`): no file is changed, whatever rules and mode allow, and no command runs
 * without a person's approval unless a rule allows it.
 */
export function judgeReading(
  turnMode: string,
  call: PolicyCall,
  part: PolicyPart,
  judged: PolicyVerdict & { readonly isByRule: boolean },
): PolicyVerdict {
  if (!isOfCommand(part) && isChange(call, part))
    return { effect: "deny", reason: `the turn is in \`${turnMode}\` mode, which only reads` };
  if (call.kind !== "shell" || judged.effect !== "allow" || judged.isByRule || isOfCommand(part)) return judged;
  return { effect: "ask", reason: `\`${turnMode}\` mode asks about every command` };
}

function isOfCommand(part: PolicyPart): boolean {
  return part.kind === "path" && (part.use === "operand" || part.use === "mentioned");
}

function isChange({ kind }: PolicyCall, part: PolicyPart): boolean {
  return (part.kind === "path" && part.use !== "named") || kind === "edit" || kind === "write";
}

function judgeChange(
  mode: Exclude<PolicyMode, "full">,
  { kind }: PolicyPart,
  danger: string | undefined,
): PolicyVerdict {
  if (danger !== undefined) return { effect: "ask", reason: danger };
  if (mode === "supervised") return { effect: "ask", reason: "`supervised` asks about changes of files" };
  if (kind !== "path") return { effect: "ask", reason: "the file is not known to be in the workspace" };
  return { effect: "allow", reason: `\`${mode}\` allows changes in the workspace` };
}
