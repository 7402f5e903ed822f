import { isDeepStrictEqual } from "node:util";
import type { GrantView } from "@caret/protocol";
import type { PolicyPart } from "../policy-parts.ts";
import {
  type CallToApprove,
  directoryOf,
  type Grant,
  type GrantScope,
  grantWords,
  identityOf,
  originOf,
} from "./grant.ts";
import { changedPath } from "./offer-grants.ts";

/** What a person has allowed for the rest of one session. In memory only: after a restart it is asked again. */
export interface SessionGrants {
  /** Oldest first. */
  list(): readonly Grant[];
  /** Adding the same scope twice makes one grant. */
  add(scope: GrantScope): Grant;
  /** The grants that allow this call, with their use counts incremented; undefined if it needs approval. */
  use(asked: CallToApprove): readonly Grant[] | undefined;
  /** False if the grant does not exist (any more). */
  revoke(id: string): boolean;
}

interface SessionGrantsOptions {
  readonly newId: () => string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

export function createSessionGrants({ newId, now }: SessionGrantsOptions): SessionGrants {
  const grants = new Map<string, Grant>();
  const list = (): readonly Grant[] => [...grants.values()];
  return {
    list,
    add(scope) {
      const known = list().find((grant) => isDeepStrictEqual(grant.scope, scope));
      const grant = known ?? { id: newId(), scope, grantedAt: now(), uses: 0 };
      grants.set(grant.id, grant);
      return grant;
    },
    use(asked) {
      const covering = coveringGrants(list(), asked);
      for (const { id, ...grant } of covering ?? []) grants.set(id, { id, ...grant, uses: grant.uses + 1 });
      return covering;
    },
    revoke: (id) => grants.delete(id),
  };
}

export function toGrantView({ id, scope, grantedAt, uses }: Grant): GrantView {
  return { id, kind: scope.kind, ...grantWords(scope), grantedAt, uses };
}

/**
 * The grants that together cover everything the policy would ask about; undefined if they do not. Every simple command of a line must be
 * covered; a dangerous call never is.
 */
function coveringGrants(grants: readonly Grant[], asked: CallToApprove): readonly Grant[] | undefined {
  const { call, decision } = asked;
  if (decision.danger !== undefined) return undefined;
  const whole = grants.find(({ scope }) => coversCall(scope, asked));
  if (whole !== undefined) return [whole];
  const found = decision.asked.map((part) => grants.find(({ scope }) => coversPart(scope, call, part)));
  return found.length > 0 && found.every((grant) => grant !== undefined) ? [...new Set(found)] : undefined;
}

function coversCall(scope: GrantScope, { call }: CallToApprove): boolean {
  if (scope.kind === "call") return scope.tool === call.tool && scope.input === identityOf(call);
  return scope.kind === "address" && scope.origin === originOf(call);
}

function coversPart(scope: GrantScope, call: CallToApprove["call"], part: PolicyPart): boolean {
  if (scope.kind === "command") return part.kind === "command" && coversCommand(scope, call, part);
  if (scope.kind !== "path" || part.kind !== "path") return false;
  const path = changedPath(call.kind, part);
  if (path === undefined) return false;
  return scope.below ? path.startsWith(`${scope.path}/`) : path === scope.path;
}

function coversCommand(
  { words, more, directory }: Extract<GrantScope, { kind: "command" }>,
  call: CallToApprove["call"],
  { words: asked, isElsewhere }: Extract<PolicyPart, { kind: "command" }>,
): boolean {
  if (isElsewhere || call.kind !== "shell" || directory !== directoryOf(call)) return false;
  if (more ? asked.length < words.length : asked.length !== words.length) return false;
  // No person has seen what the shell would compute.
  if (!asked.every(({ fixed, spread }) => fixed && !spread)) return false;
  return words.every((word, index) => word === asked[index]?.text);
}
