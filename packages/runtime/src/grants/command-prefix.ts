/**
 * Commands for which further arguments may be allowed as well: those that build, check or test a project, which run its
 * code anyway. Most others (`cp a b …`, `tee …`, `cat …`, `npm install …`) could do or read something else entirely with
 * other arguments, so that for them nothing but the very command is offered.
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

/** The words of a command that say what it does; undefined when further arguments could make something else of it. */
export function commandPrefix(words: readonly string[]): readonly string[] | undefined {
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
