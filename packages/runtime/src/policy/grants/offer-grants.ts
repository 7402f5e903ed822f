import { posix } from "node:path";
import type { PathPart, PolicyPart } from "../policy-parts.ts";
import { type CallToApprove, directoryOf, type GrantScope, identityOf, originOf } from "./grant.ts";

/**
 * Commands that can be granted with any further arguments: those that build, check or test a project, which run its code anyway. With other
 * arguments most others (`cp a b …`, `tee …`, `cat …`, `npm install …`) could do or read something else entirely, so only the exact command
 * is offered.
 */
const builders: ReadonlySet<string> = new Set([
  ...["npm", "pnpm", "yarn", "bun", "deno", "cargo", "go", "mvn", "gradle", "./gradlew", "./mvnw", "dotnet", "swift"],
  ...["mix", "bazel", "turbo", "nx", "zig"],
]);

const buildWords: ReadonlySet<string> = new Set([
  ...["test", "t", "build", "lint", "check", "typecheck", "fmt", "format", "vet", "clippy", "doc", "bench", "compile"],
  ...["verify", "coverage"],
]);

/** `npm run <script>`. */
const scriptRunners: ReadonlySet<string> = new Set(["npm", "pnpm", "yarn", "bun"]);

/** `make <target>`, `npx <program>`. */
const namedRunners: ReadonlySet<string> = new Set(["make", "just", "task", "rake", "tox", "nox", "npx", "bunx"]);

const checkers: ReadonlySet<string> = new Set([
  ...["pytest", "vitest", "jest", "mocha", "tsc", "eslint", "biome", "prettier", "ruff", "mypy", "pyright"],
]);

const gitWords: ReadonlySet<string> = new Set(["status", "add", "commit"]);

/**
 * What a person can allow for the rest of the session instead of once, narrowest first. Empty for a dangerous call: each of those needs its
 * own decision.
 */
export function offerGrants(asked: CallToApprove): readonly GrantScope[] {
  const { call, decision } = asked;
  if (decision.danger !== undefined) return [];
  const [part, ...others] = decision.asked;
  const special = part === undefined || others.length > 0 ? [] : offersOf(asked, part);
  const same: GrantScope = { kind: "call", tool: call.tool, input: identityOf(call) };
  const origin = originOf(call);
  const broader: readonly GrantScope[] = origin === undefined ? [] : [{ kind: "address", origin }];
  return special.length > 0 ? special : [same, ...broader];
}

function offersOf({ call }: CallToApprove, part: PolicyPart): readonly GrantScope[] {
  if (part.kind === "command" && call.kind === "shell") {
    const directory = directoryOf(call);
    const isFixed = part.words.every(({ fixed, spread }) => fixed && !spread);
    return directory === undefined || !isFixed || part.isElsewhere
      ? []
      : commandOffers(
          part.words.map(({ text }) => text),
          directory,
        );
  }
  const path = part.kind === "path" ? changedPath(call.kind, part) : undefined;
  return path === undefined ? [] : pathOffers(path);
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

/** The file a change is made to, free of links; undefined if it is not a change, or affects several files. */
export function changedPath(kind: CallToApprove["call"]["kind"], { path, use }: PathPart): string | undefined {
  if ((kind !== "edit" && kind !== "write") || use !== "named" || path.ends.length !== 1) return undefined;
  return path.ends[0]?.inWorkspace || undefined;
}

/** The words of a command that determine what it does; undefined if further arguments could change that. */
function commandPrefix(words: readonly string[]): readonly string[] | undefined {
  const [program = "", second = "", third = ""] = words;
  if (checkers.has(program)) return [program];
  if (scriptRunners.has(program) && /^run(-script)?$/.test(second))
    return isName(third) ? [program, second, third] : undefined;
  const saysIt =
    (program === "node" && second === "--test") ||
    (program === "git" && gitWords.has(second)) ||
    (builders.has(program) && buildWords.has(second)) ||
    (namedRunners.has(program) && isName(second));
  return saysIt ? [program, second] : undefined;
}

function isName(word: string): boolean {
  return /^[\w@][\w@:./-]*$/.test(word);
}
