import type { PolicyPart } from "../policy/policy-parts.ts";
import { directoryOf, identityOf, originOf } from "./asked-call.ts";
import type { AskedCall, Grant, GrantScope } from "./grant.ts";
import { changedPlace } from "./offer-grants.ts";

/**
 * The grants that together cover everything the policy would ask about; undefined when they do not. Every simple command
 * of a line must be covered, and a dangerous call never is.
 */
export function coveringGrants(grants: readonly Grant[], asked: AskedCall): readonly Grant[] | undefined {
  const { call, decision } = asked;
  if (decision.danger !== undefined) return undefined;
  const whole = grants.find(({ scope }) => coversCall(scope, asked));
  if (whole !== undefined) return [whole];
  const found = decision.asked.map((part) => grants.find(({ scope }) => coversPart(scope, call, part)));
  return found.length > 0 && found.every((grant) => grant !== undefined) ? [...new Set(found)] : undefined;
}

function coversCall(scope: GrantScope, { call }: AskedCall): boolean {
  if (scope.kind === "call") return scope.tool === call.tool && scope.input === identityOf(call);
  return scope.kind === "address" && scope.origin === originOf(call);
}

function coversPart(scope: GrantScope, call: AskedCall["call"], part: PolicyPart): boolean {
  if (scope.kind === "command") return part.kind === "command" && coversCommand(scope, call, part.words);
  if (scope.kind !== "path" || part.kind !== "path") return false;
  const place = changedPlace(call.kind, part);
  if (place === undefined) return false;
  return scope.below ? place.startsWith(`${scope.path}/`) : place === scope.path;
}

function coversCommand(
  { words, more, directory }: Extract<GrantScope, { kind: "command" }>,
  call: AskedCall["call"],
  asked: Extract<PolicyPart, { kind: "command" }>["words"],
): boolean {
  if (call.kind !== "shell" || directory !== directoryOf(call)) return false;
  if (more ? asked.length < words.length : asked.length !== words.length) return false;
  // What the shell would compute nobody has seen.
  if (!asked.every(({ fixed, spread }) => fixed && !spread)) return false;
  return words.every((word, index) => word === asked[index]?.text);
}
