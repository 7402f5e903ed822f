import type { GrantOffer } from "@caret/protocol";
import type { GrantScope } from "./grant.ts";

type Words = Pick<GrantOffer, "pattern" | "label">;

/** A grant as a person reads it: the pattern, and a sentence's worth about what it covers. */
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
  const place = directory === "." ? "" : ` in \`${directory}\``;
  return more
    ? { pattern: `${line} *`, label: `\`${line}\` with any further arguments${place}` }
    : { pattern: line, label: `exactly \`${line}\`${place}` };
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
