import type { SandboxWord } from "@caret/protocol";
import type { PolicyRule } from "./policy-parts.ts";

/** Tools of the gateway that change files by themselves, without a process that walls could stand around. */
const CHANGING = ["write", "edit", "rm", "mkdir"];
const GUARDED = [".cursor", ".cursor/**", ".git", ".git/**"];
/** In a strict sandbox all settings that lie in the workspace are read-only. */
const DOT_FILES = [".*", ".*/**"];

/**
 * What the gateway's own tools are denied in a sandboxed turn: they run in the gateway itself, and must not do what a process
 * in the sandbox could not. A strict one has no network, so that nothing that fetches or that a server does is left.
 */
export function sandboxRules(word: SandboxWord, git: "guarded" | "open"): readonly PolicyRule[] {
  if (word === "off") return [];
  const guarded = git === "guarded" ? GUARDED : GUARDED.filter((path) => path.startsWith(".cursor"));
  const paths = word === "strict" ? [...guarded, ...DOT_FILES] : guarded;
  const changes = CHANGING.flatMap((tool) => paths.map((path) => ({ effect: "deny", tool, path }) as const));
  if (word === "on") return changes;
  return [...changes, { effect: "deny", tool: "web_*" }, { effect: "deny", server: "*" }];
}
