import type { ToolKind } from "@caret/protocol";
import { isDangerousCommand } from "./dangerous-commands.ts";
import type { PolicyCall, PolicyPart, PolicyPath } from "./policy-parts.ts";
import type { PolicyVerdict } from "./policy-rule.ts";

/**
 * How much happens without asking, in words for people:
 * - `supervised`: the agent looks, and asks about everything else;
 * - `auto-edits`: it also changes files of the workspace;
 * - `auto`: it also runs commands, except dangerous ones and those nobody can judge;
 * - `full`: it does everything.
 */
export const policyModes = ["supervised", "auto-edits", "auto", "full"] as const;
export type PolicyMode = (typeof policyModes)[number];

/** Looking, and talking to the user, change nothing. */
const harmless: ReadonlySet<ToolKind> = new Set(["read", "search", "todo", "question", "plan"]);
/** Files of the workspace from which git and the agent take commands to run. */
const CONTROLS = /^(.*\/)?\.(git|cursor)(\/|$)/i;

export function judgeByMode(mode: PolicyMode, call: PolicyCall, part: PolicyPart): PolicyVerdict {
  if (mode === "full") return { effect: "allow", reason: "`full` allows everything" };
  if (harmless.has(call.kind)) return { effect: "allow", reason: `\`${mode}\` allows looking` };
  if (part.kind === "path" && part.written) return judgeChange(mode, part.path);
  if (call.kind === "edit" || call.kind === "write")
    return judgeChange(mode, part.kind === "path" ? part.path : undefined);
  if (call.kind === "shell" && mode === "auto") return judgeCommand(part);
  return { effect: "ask", reason: `\`${mode}\` asks about ${call.tool}` };
}

function judgeChange(mode: Exclude<PolicyMode, "full">, path: PolicyPath | undefined): PolicyVerdict {
  if (mode === "supervised") return { effect: "ask", reason: "`supervised` asks about changes of files" };
  if (path?.inWorkspace === undefined)
    return { effect: "ask", reason: `${path?.absolute ?? "the file"} is not known to be in the workspace` };
  if (CONTROLS.test(path.inWorkspace)) return { effect: "ask", reason: `${path.inWorkspace} decides what is run` };
  return { effect: "allow", reason: `\`${mode}\` allows changes in the workspace` };
}

function judgeCommand(part: PolicyPart): PolicyVerdict {
  if (part.kind === "opaque") return { effect: "ask", reason: `the command line cannot be judged: ${part.what}` };
  if (part.kind !== "command" || !isDangerousCommand(part.words))
    return { effect: "allow", reason: "`auto` allows commands" };
  return { effect: "ask", reason: `\`${part.words[0]?.text ?? ""}\` is on the list of dangerous commands` };
}
