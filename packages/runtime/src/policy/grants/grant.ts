import { posix } from "node:path";
import { type GrantOffer, isJsonObject } from "@caret/protocol";
import { canonicalJson } from "../../calls/canonical-json.ts";
import type { PolicyDecision } from "../policy.ts";
import type { PolicyCall } from "../policy-parts.ts";

/** Arguments that do not change what is done. */
const besidesThePoint: ReadonlySet<string> = new Set(["description", "timeoutMs"]);

/** What a person has allowed for the rest of a session. */
export type GrantScope =
  /** A simple command, alone or as part of a line: these words, with `more` followed by any others. */
  | { readonly kind: "command"; readonly words: readonly string[]; readonly more: boolean; readonly directory: string }
  /** Every change of a file or, with `below`, of all files in a directory. Relative to the workspace, free of links. */
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
  /** Number of uses. */
  readonly uses: number;
}

/** A call for which the policy wants an approval. */
export interface CallToApprove {
  readonly call: PolicyCall;
  readonly decision: Pick<PolicyDecision, "asked" | "danger">;
}

type Words = Pick<GrantOffer, "pattern" | "label">;

/** A grant as shown to a person: the pattern, and a phrase saying what it covers. */
export function grantWords(scope: GrantScope): Words {
  switch (scope.kind) {
    case "command":
      return commandWords(scope);
    case "path":
      return scope.below
        ? { pattern: `${scope.path}/**`, label: `every change below \`${scope.path}/\`` }
        : { pattern: scope.path, label: `every change of \`${scope.path}\`` };
    case "address":
      return { pattern: `${scope.origin}/**`, label: `everything from \`${scope.origin}\`` };
    case "call":
      return { pattern: `${scope.tool} ${scope.input}`, label: `exactly this call of \`${scope.tool}\`` };
  }
}

function commandWords({ words, more, directory }: Extract<GrantScope, { kind: "command" }>): Words {
  const line = words.map(quoted).join(" ");
  const where = directory === "." ? "" : ` in \`${directory}\``;
  return more
    ? { pattern: `${line} *`, label: `\`${line}\` with any further arguments${where}` }
    : { pattern: line, label: `exactly \`${line}\`${where}` };
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** The directory a command runs in, relative to the workspace; undefined if it cannot be determined. */
export function directoryOf({ input }: PolicyCall): string | undefined {
  const cwd = isJsonObject(input) ? input["cwd"] : undefined;
  if (cwd === undefined) return ".";
  return typeof cwd === "string" && !posix.isAbsolute(cwd) ? posix.normalize(cwd) : undefined;
}

/** Two calls of a tool are the same if their identities are equal. */
export function identityOf({ kind, input }: PolicyCall): string {
  if (kind !== "shell" || !isJsonObject(input)) return canonicalJson(input);
  return canonicalJson(Object.fromEntries(Object.entries(input).filter(([name]) => !besidesThePoint.has(name))));
}

/** The server a call would fetch from. */
export function originOf({ kind, input }: PolicyCall): string | undefined {
  const url = kind === "fetch" && isJsonObject(input) ? input["url"] : undefined;
  const address = typeof url === "string" && URL.canParse(url) ? new URL(url) : undefined;
  const isPlain = address !== undefined && /^https?:$/.test(address.protocol) && address.username === "";
  return isPlain ? address.origin : undefined;
}
