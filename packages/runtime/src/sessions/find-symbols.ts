import { CaretError, type SymbolView } from "@caret/protocol";
import { type Git, runGit } from "../git/run-git.ts";

const LIMIT_MS = 2_000;
const MAX_FOUND = 50;
const MAX_NAME = 100;

/** Words before a name that define it, in the languages people write. */
const defining = [
  ...["function", "class", "interface", "type", "enum", "const", "let", "var", "namespace", "module"],
  ...["def", "fn", "func", "struct", "trait", "impl", "protocol", "record", "object", "val", "macro_rules!"],
].join("|");

/**
 * Where something is defined whose name begins with the query: found by the words before it, not by a parser, so that it costs one
 * `git grep` in any language. What takes longer than a moment, or cannot be found in this way, is left out.
 */
export async function findSymbols(git: Git, workspace: string, query: string): Promise<readonly SymbolView[]> {
  if (!/^[\w$]+$/.test(query) || query.length > MAX_NAME) return [];
  const name = query.replaceAll("$", "[$]");
  const pattern = `(^|[^[:alnum:]_])(${defining})[*]?[[:space:]]+${name}[[:alnum:]_$]*`;
  const search = ["grep", "-n", "-z", "-I", "-i", "-E", "--max-count=20", "-e", pattern];
  const inRepository = [...search, "--untracked", "--exclude-standard", "--", "."];
  const found =
    (await grep(git, workspace, inRepository)) ?? (await grep(git, workspace, [...search, "--no-index", "--", "."]));
  return rank(
    (found ?? "").split("\n").flatMap((line) => toSymbol(line, query)),
    query,
  );
}

/** Undefined where there is no repository. */
async function grep(git: Git, workspace: string, args: readonly string[]): Promise<string | undefined> {
  try {
    const { code, text, isCut } = await runGit(git, workspace, args, { limitMs: LIMIT_MS });
    // 1: nothing was found.
    return code === 0 || code === 1 || isCut ? text : undefined;
  } catch (reason) {
    // Suggestions are a help: without git, or in a tree that takes too long, there are none.
    if (CaretError.is(reason)) return "";
    throw reason;
  }
}

/** A line of `git grep -n -z`: the path, the number and the text, each ended by a NUL. */
function toSymbol(found: string, query: string): readonly SymbolView[] {
  const [path, number, text] = found.split("\0");
  if (path === undefined || number === undefined || text === undefined) return [];
  const escaped = query.replaceAll("$", "\\$");
  const name = new RegExp(`(?:^|\\W)(?:${defining})\\*?\\s+(${escaped}[\\w$]*)`, "i").exec(text)?.[1];
  return name === undefined ? [] : [{ name, path, line: Number(number) }];
}

/** The very name first, then the shortest. */
function rank(symbols: readonly SymbolView[], query: string): readonly SymbolView[] {
  const distance = ({ name, path }: SymbolView): number =>
    (name === query ? 0 : 1_000) + (name.startsWith(query) ? 0 : 500) + name.length + path.length / 1_000;
  return symbols.toSorted((one, other) => distance(one) - distance(other)).slice(0, MAX_FOUND);
}
