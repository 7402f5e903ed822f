import { isDeepStrictEqual } from "node:util";
import type { GrantView } from "@caret/protocol";
import { coveringGrants } from "./covering-grants.ts";
import type { AskedCall, Grant, GrantScope } from "./grant.ts";
import { grantWords } from "./grant-words.ts";

/** What a person has allowed for the rest of one session. In memory only: a restart forgets it, and asks again. */
export interface SessionGrants {
  /** Oldest first. */
  list(): readonly Grant[];
  /** The same scope twice is one grant. */
  add(scope: GrantScope): Grant;
  /** The grants that allow this call, each used once more; undefined when it must be asked about. */
  use(asked: AskedCall): readonly Grant[] | undefined;
  /** False when there is no such grant (any more). */
  revoke(id: string): boolean;
}

export interface SessionGrantsOptions {
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
