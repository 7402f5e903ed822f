import type { PolicyDecision } from "../policy/policy.ts";
import type { PolicyCall } from "../policy/policy-parts.ts";

/** What a person has allowed for the rest of a session. */
export type GrantScope =
  /** A simple command, alone or as a part of a line: these words, and with `more` any further ones. */
  | { readonly kind: "command"; readonly words: readonly string[]; readonly more: boolean; readonly directory: string }
  /** Every change of a file, or with `below` of all files in a directory. From the workspace, free of links. */
  | { readonly kind: "path"; readonly path: string; readonly below: boolean }
  /** Fetching from one server. */
  | { readonly kind: "address"; readonly origin: string }
  /** The same call again. */
  | { readonly kind: "call"; readonly tool: string; readonly input: string };

export interface Grant {
  readonly id: string;
  readonly scope: GrantScope;
  /** Milliseconds since the epoch. */
  readonly grantedAt: number;
  /** How often it has been used. */
  readonly uses: number;
}

/** A call that the policy wants to ask about. */
export interface AskedCall {
  readonly call: PolicyCall;
  readonly decision: Pick<PolicyDecision, "asked" | "danger">;
}
