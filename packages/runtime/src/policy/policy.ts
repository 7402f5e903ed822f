import type { AgentEvent, AgentEventOf } from "@caret/protocol";
import { dangerOf } from "./danger.ts";
import type { GitAnswers } from "./git-settings.ts";
import { mayStartOthers } from "./may-start-others.ts";
import { judgeByMode, judgeReading, type PolicyMode } from "./policy-mode.ts";
import {
  compileRule,
  decidingRule,
  isEveryCommand,
  isStricter,
  judgedPathsOf,
  type PolicyCall,
  type PolicyPart,
  type PolicyRule,
  type PolicyVerdict,
  partsOf,
} from "./policy-parts.ts";

export interface PolicyOptions {
  readonly mode: PolicyMode;
  /** The user's own rules. The mode decides only if none fits. */
  readonly rules: readonly PolicyRule[];
  /** Absolute. */
  readonly workspace: string;
  /** The mode of a turn that only reads, `plan` or `ask`. If absent, only rules and mode restrict it. */
  readonly readsOnly?: string | undefined;
  /** Whether anybody can be asked. If not, calls that need approval are denied. */
  readonly attended: boolean;
  readonly newRequestId: () => string;
}

/** The reason is shown to the model if the call is denied. */
export interface PolicyDecision extends PolicyVerdict {
  /** Why the call is dangerous, for the person who approves it. Such a call cannot be granted for the rest of the session. */
  readonly danger: string | undefined;
  /** The parts of the call that need a person's approval. */
  readonly asked: readonly PolicyPart[];
  /** The link-free workspace paths the call resolves to. The tool may use only these. */
  readonly judgedPaths: readonly string[];
  /** Files that a call searching directories must not open, by path from the workspace. Undefined: none. */
  readonly leavesOut: ((path: string) => boolean) | undefined;
  readonly request: AgentEventOf<"approval-request">;
  /** The request, and its answer unless a person has yet to give it. */
  readonly events: readonly AgentEvent[];
}

/**
 * Decides which calls can run.
 *
 * Each effect of a call is decided by the most specific matching rule (the strictest of equally specific ones), or by the mode if no rule
 * matches; the call gets the strictest of these decisions.
 *
 * Rules are a convenience, not a boundary. They read what a call says, and a program can do what its words do not say: a build script
 * deletes files, an interpreter runs what it finds. They save an honest agent from mistakes and a person from needless questions. The
 * sandbox prevents what must not happen.
 */
export interface Policy {
  /** `answers` are git's, about the repositories whose files the call changes; without them every such call needs approval. */
  decide(call: PolicyCall, answers?: GitAnswers): PolicyDecision;
}

export function createPolicy(options: PolicyOptions): Policy {
  const { mode, rules, workspace, attended, newRequestId, readsOnly } = options;
  const compiled = rules.map(compileRule);
  // With a deny rule for commands, a line that could hide a command is not allowed automatically either.
  const restrictsCommands = rules.some(({ command, effect }) => command !== undefined && effect !== "allow");
  const restrictsFiles = ({ tool, kind }: PolicyCall): boolean =>
    compiled.some(({ rule, names }) => rule.path !== undefined && rule.effect !== "allow" && names(tool, kind));

  const denied = rules.find(({ command, effect }) => command !== undefined && effect === "deny");

  const forbidden = (call: PolicyCall): string | undefined => {
    if (restrictsCommands) return "commands";
    return restrictsFiles(call) ? "files" : undefined;
  };
  /** Why a part that would be allowed needs approval: it may do something that a rule denies. */
  const unjudged = (call: PolicyCall, part: PolicyPart, rule: PolicyRule | undefined): string | undefined => {
    if (part.kind === "opaque") return unreadable(forbidden(call), part.what);
    if (part.kind !== "command" || denied === undefined || namesProgram(rule)) return undefined;
    return mayStartOthers(part.words) ? unenforced(denied, part.words[0]?.text ?? "") : undefined;
  };

  const judgePart = (call: PolicyCall, part: PolicyPart, danger: string | undefined): PolicyVerdict => {
    const rule = decidingRule(compiled.filter((each) => each.fits(call, part)));
    const judged = rule === undefined ? judgeByMode(mode, call, part, danger) : verdictOf(rule);
    const verdict =
      readsOnly === undefined
        ? judged
        : judgeReading(readsOnly, call, part, { ...judged, isByRule: rule !== undefined });
    const reason = verdict.effect === "allow" ? unjudged(call, part, rule) : undefined;
    return reason === undefined ? verdict : { effect: "ask", reason };
  };

  /** A file found by a search is judged as if the call had named it. */
  const leavesOut = (call: PolicyCall): PolicyDecision["leavesOut"] => {
    if (call.kind !== "search" || !restrictsFiles(call)) return undefined;
    return (path) => {
      const named = { ...call, input: { path } };
      return partsOf(named, workspace).some((part) => judgePart(named, part, undefined).effect !== "allow");
    };
  };

  return {
    decide(call, answers = () => "unknown") {
      const parts = partsOf(call, workspace, restrictsFiles(call));
      const dangers = parts.map((part) => dangerOf(call, part, { workspace, answers }));
      const verdicts = parts.map((part, index) => judgePart(call, part, dangers[index]));
      const worst = verdicts.reduce((one, other) => (isStricter(other.effect, one.effect) ? other : one));
      const verdict = worst.effect === "ask" && !attended ? denyUnattended(worst) : worst;
      const request = toRequest(call, newRequestId());
      const danger = dangers.find((each) => each !== undefined);
      return {
        ...verdict,
        danger,
        asked: parts.filter((_, index) => verdicts[index]?.effect === "ask"),
        judgedPaths: judgedPathsOf(call, parts, workspace),
        leavesOut: leavesOut(call),
        request,
        events: [request, ...answersTo(request, verdict)],
      };
    },
  };
}

function verdictOf(rule: PolicyRule): PolicyVerdict {
  return { effect: rule.effect, reason: `a rule says so: ${describeRule(rule)}` };
}

/** A rule about `make` covers what `make` starts; a rule about every command does not. */
function namesProgram(rule: PolicyRule | undefined): boolean {
  return rule?.command !== undefined && !isEveryCommand(rule);
}

function unreadable(forbidden: string | undefined, what: string): string | undefined {
  return forbidden && `a rule forbids ${forbidden}, and Caret cannot tell what the command line does: ${what}`;
}

function unenforced(rule: PolicyRule, program: string): string {
  return `the rule that says ${describeRule(rule)} cannot be enforced on what \`${program}\` starts; a rule that allows \`${program}\` by name lets it run`;
}

function describeRule({ effect, ...conditions }: PolicyRule): string {
  const words = Object.entries(conditions).map(([name, pattern]) => `${name} \`${pattern}\``);
  return `${effect} ${words.join(", ") || "everything"}`;
}

function denyUnattended({ reason }: PolicyVerdict): PolicyVerdict {
  return { effect: "deny", reason: `Denied, because no person can be asked: ${reason}` };
}

function toRequest({ tool, input, callId }: PolicyCall, requestId: string): AgentEventOf<"approval-request"> {
  return {
    type: "approval-request",
    requestId,
    ...(callId === undefined ? {} : { callId }),
    subject: tool,
    input,
  };
}

/** Empty if a person is asked. */
function answersTo(
  { requestId }: AgentEventOf<"approval-request">,
  { effect, reason }: PolicyVerdict,
): readonly AgentEvent[] {
  if (effect === "ask") return [];
  const decision = effect === "allow" ? "approved" : "rejected";
  return [{ type: "approval-answer", requestId, decision, by: "policy", reason }];
}
