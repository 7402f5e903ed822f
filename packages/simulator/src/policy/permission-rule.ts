import { isAbsolute, join } from "node:path";

const specials: ReadonlyArray<readonly [string, string]> = [
  ["**/", "(?:.*/)?"],
  ["**", ".*"],
  ["*", "[^/]*"],
  ["?", "[^/]"],
];

/** What a tool is about to do, in the words of the permission file. */
export type Action =
  | { readonly kind: "Read" | "Write"; readonly path: string }
  | { readonly kind: "Shell"; readonly command: string }
  | { readonly kind: "WebFetch"; readonly domain: string }
  | { readonly kind: "WebSearch" }
  | { readonly kind: "Mcp"; readonly server: string; readonly tool: string };

/** A rule of `permissions.allow` or `permissions.deny`, such as `Shell(git:status)` or `Write(src/**)`. */
export interface PermissionRule {
  /** As it stands in the file. */
  readonly token: string;
  readonly matches: (action: Action) => boolean;
}

/** Reads one token; a token of a kind nobody knows matches nothing, as an editor's newer rule would. */
export function parsePermissionRule(token: string, workspace: string): PermissionRule {
  const [, kind, argument] = /^(\w+)\((.*)\)$/s.exec(token.trim()) ?? [];
  return { token, matches: matcherOf(kind, argument ?? "", workspace) };
}

function matcherOf(kind: string | undefined, argument: string, workspace: string): (action: Action) => boolean {
  switch (kind) {
    case "Shell":
      return shellMatcher(argument);
    case "Read":
    case "Write": {
      // A relative glob is scoped to the workspace, `**` included: only an absolute one reaches outside.
      const pattern = globPattern(isAbsolute(argument) ? argument : join(workspace, argument));
      return (action) => action.kind === kind && pattern.test(action.path);
    }
    case "WebFetch": {
      const pattern = globPattern(argument);
      return (action) => action.kind === "WebFetch" && pattern.test(action.domain);
    }
    case "Mcp": {
      const [server, tool] = splitAtColon(argument).map(loosePattern);
      return (action) =>
        action.kind === "Mcp" && server?.test(action.server) === true && tool?.test(action.tool) !== false;
    }
    default:
      return () => false;
  }
}

/** `Shell(git)` is every `git …`; `Shell(git:push*)` looks at the arguments too; `Shell(git push)` is that beginning. */
function shellMatcher(argument: string): (action: Action) => boolean {
  const [name, rest] = splitAtColon(argument);
  const namePattern = loosePattern(name ?? "");
  const restPattern = rest === undefined ? undefined : loosePattern(rest);
  return (action) => {
    if (action.kind !== "Shell") return false;
    const [first = "", ...others] = action.command.trim().split(/\s+/);
    if (name?.includes(" ")) return `${action.command.trim()} `.startsWith(`${name} `);
    return namePattern.test(first) && restPattern?.test(others.join(" ")) !== false;
  };
}

function splitAtColon(text: string): string[] {
  const colon = text.indexOf(":");
  return colon < 0 ? [text] : [text.slice(0, colon), text.slice(colon + 1)];
}

/** Outside of paths a `*` crosses slashes: `Shell(*)` is meant to cover `/usr/bin/env` too. */
function loosePattern(glob: string): RegExp {
  return globPattern(glob.replace(/\*+/g, "**"));
}

/**
 * A glob as a regular expression over a whole path: `*` stays inside one segment, `**` crosses them, `?` is one
 * character, `{a,b}` is a choice. Written here because Node's own matcher still warns on stderr in Node 22, and a
 * warning on stderr is something the real agent would not print.
 */
export function globPattern(glob: string): RegExp {
  let source = "";
  let depth = 0;
  for (let index = 0; index < glob.length; index++) {
    const rest = glob.slice(index);
    const special = specials.find(([text]) => rest.startsWith(text));
    if (special !== undefined) {
      source += special[1];
      index += special[0].length - 1;
      continue;
    }
    const character = glob.charAt(index);
    if (character === "{") depth++;
    const closes = character === "}" && depth > 0;
    if (closes) depth--;
    source += choice(character, depth, closes);
  }
  return new RegExp(`^${source}${")".repeat(depth)}$`, "s");
}

function choice(character: string, depth: number, closes: boolean): string {
  if (character === "{") return "(?:";
  if (closes) return ")";
  if (character === "," && depth > 0) return "|";
  return character.replace(/[\\^$.*+?()[\]{}|]/, "\\$&");
}
