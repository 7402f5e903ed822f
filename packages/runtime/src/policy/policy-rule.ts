import { CaretError } from "@caret/protocol";
import { createCommandPattern } from "./command-pattern.ts";
import { createGlobPattern, type GlobPattern } from "./glob-pattern.ts";
import type { Place, PolicyCall, PolicyPart, PolicyPath } from "./policy-parts.ts";

export type Effect = "allow" | "ask" | "deny";

export interface PolicyVerdict {
  readonly effect: Effect;
  /** Why, in words. */
  readonly reason: string;
}

/**
 * What to do with calls that everything in the rule fits. `tool` is a tool's name or kind, `server` an MCP server's
 * name, `path` a file of the workspace or, beginning with a slash, of the machine, `command` the first words of a
 * command. All may have wildcards.
 */
export interface PolicyRule {
  readonly effect: Effect;
  readonly tool?: string;
  readonly server?: string;
  readonly path?: string;
  readonly command?: string;
}

export interface CompiledRule {
  readonly rule: PolicyRule;
  fits(call: PolicyCall, part: PolicyPart): boolean;
  /** Is the rule about tools of this name or kind? */
  names(tool: string, kind: string): boolean;
  /** Compared from left to right: by command, path, server, tool. */
  readonly weights: readonly number[];
}

const severity: Readonly<Record<Effect, number>> = { allow: 0, ask: 1, deny: 2 };

export function isStricter(one: Effect, other: Effect): boolean {
  return severity[one] > severity[other];
}

export function compileRule(rule: PolicyRule): CompiledRule {
  if (rule.command !== undefined && rule.path !== undefined)
    throw new CaretError("invalid-config", "A rule names a command or a path, not both: no part of a call has both");
  const tool = compile(rule.tool, createGlobPattern);
  const server = compile(rule.server, createGlobPattern);
  const path = compile(rule.path, createGlobPattern);
  const command = compile(rule.command, createCommandPattern);
  const fitsCommand = (part: PolicyPart): boolean => {
    if (command === undefined) return true;
    if (part.kind !== "command") return false;
    const match = command.matches(part.words);
    // What may be meant counts where it makes the decision stricter, and only there.
    return match === "yes" || (match === "maybe" && rule.effect !== "allow");
  };
  const fitsFile = (part: PolicyPart): boolean => {
    // A command that mentions a file is judged by itself by the rules that are about no file.
    if (path === undefined) return part.kind !== "path" || part.use !== "mentioned";
    return part.kind === "path" && fitsPath(path, part.path, rule.effect);
  };
  const names = (name: string, kind: string): boolean => tool === undefined || tool.matches(name) || tool.matches(kind);
  return {
    rule,
    names,
    weights: [command, path, server, tool].map((pattern) => (pattern === undefined ? -1 : pattern.weight)),
    fits(call, part) {
      if (!names(call.tool, call.kind)) return false;
      if (server !== undefined && (call.server === undefined || !server.matches(call.server))) return false;
      return fitsFile(part) && fitsCommand(part);
    },
  };
}

/** The rule that decides: the most specific, of equally specific ones the strictest, of those the first. */
export function decidingRule(rules: readonly CompiledRule[]): PolicyRule | undefined {
  const [first, ...others] = rules;
  return others.reduce<CompiledRule | undefined>((best, rule) => (best && outdoes(rule, best) ? rule : best), first)
    ?.rule;
}

function outdoes(one: CompiledRule, other: CompiledRule): boolean {
  for (const [index, weight] of one.weights.entries()) {
    const difference = weight - (other.weights[index] ?? -1);
    if (difference !== 0) return difference > 0;
  }
  return isStricter(one.rule.effect, other.rule.effect);
}

function compile<Pattern>(text: string | undefined, create: (text: string) => Pattern): Pattern | undefined {
  return text === undefined ? undefined : create(text);
}

/** What forbids does so under every name of a file; what allows must allow each place that the file can really be at. */
function fitsPath(pattern: GlobPattern, path: PolicyPath, effect: Effect): boolean {
  const fits = (place: Place): boolean => namesOf(place).some((name) => pattern.matches(name));
  return effect === "allow" ? path.ends.every(fits) : [path, ...path.ends].some(fits);
}

function namesOf({ absolute, inWorkspace }: Place): readonly string[] {
  return inWorkspace === undefined ? [absolute] : [inWorkspace, absolute];
}
