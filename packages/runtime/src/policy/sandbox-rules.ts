import type { SandboxWord } from "@caret/protocol";
import type { PolicyRule } from "./policy-parts.ts";

/** The gateway's tools that change files in its own process, where no walls can be put around them. */
const CHANGING = ["write", "edit", "rm", "mkdir"];
const GUARDED = [".cursor", ".cursor/**", ".git", ".git/**"];
/** In a strict sandbox all settings in the workspace are read-only. */
const DOT_FILES = [".*", ".*/**"];

/**
 * Denials for the gateway's own tools in a sandboxed turn: they run in the gateway itself, and must not do what a process in the sandbox
 * could not. A strict sandbox has no network, so fetching and server tools are denied as well.
 */
export function sandboxRules(word: SandboxWord, git: "guarded" | "open"): readonly PolicyRule[] {
  if (word === "off") return [];
  const guarded = git === "guarded" ? GUARDED : GUARDED.filter((path) => path.startsWith(".cursor"));
  const paths = word === "strict" ? [...guarded, ...DOT_FILES] : guarded;
  const changes = CHANGING.flatMap((tool) => paths.map((path) => ({ effect: "deny", tool, path }) as const));
  if (word === "on") return changes;
  return [...changes, { effect: "deny", tool: "web_*" }, { effect: "deny", server: "*" }];
}
