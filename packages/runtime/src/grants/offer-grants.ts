import { posix } from "node:path";
import type { PathPart, PolicyPart } from "../policy/policy-parts.ts";
import { directoryOf, identityOf, originOf } from "./asked-call.ts";
import { commandPrefix } from "./command-prefix.ts";
import type { AskedCall, GrantScope } from "./grant.ts";

/**
 * What a person may allow for the rest of the session instead of once, the narrowest first. Nothing for a dangerous
 * call: each of those is decided about by itself.
 */
export function offerGrants(asked: AskedCall): readonly GrantScope[] {
  const { call, decision } = asked;
  if (decision.danger !== undefined) return [];
  const [part, ...others] = decision.asked;
  const special = part === undefined || others.length > 0 ? [] : offersOf(asked, part);
  const same: GrantScope = { kind: "call", tool: call.tool, input: identityOf(call) };
  const origin = originOf(call);
  const broader: readonly GrantScope[] = origin === undefined ? [] : [{ kind: "address", origin }];
  return special.length > 0 ? special : [same, ...broader];
}

function offersOf({ call }: AskedCall, part: PolicyPart): readonly GrantScope[] {
  if (part.kind === "command" && call.kind === "shell") {
    const directory = directoryOf(call);
    const isFixed = part.words.every(({ fixed, spread }) => fixed && !spread);
    return directory === undefined || !isFixed
      ? []
      : commandOffers(
          part.words.map(({ text }) => text),
          directory,
        );
  }
  const place = part.kind === "path" ? changedPlace(call.kind, part) : undefined;
  return place === undefined ? [] : pathOffers(place);
}

function commandOffers(words: readonly string[], directory: string): readonly GrantScope[] {
  const prefix = commandPrefix(words);
  return [
    { kind: "command", words, more: false, directory },
    ...(prefix === undefined ? [] : [{ kind: "command" as const, words: prefix, more: true, directory }]),
  ];
}

function pathOffers(path: string): readonly GrantScope[] {
  const directory = posix.dirname(path);
  return [
    { kind: "path", path, below: false },
    ...(directory === "." ? [] : [{ kind: "path" as const, path: directory, below: true }]),
  ];
}

/** The file that a change is made to, free of links; undefined when it is no change, or of several places. */
export function changedPlace(kind: AskedCall["call"]["kind"], { path, use }: PathPart): string | undefined {
  if ((kind !== "edit" && kind !== "write") || use !== "named" || path.ends.length !== 1) return undefined;
  return path.ends[0]?.inWorkspace || undefined;
}
