import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const frontMatter = /^---\r?\n([\s\S]*?)\r?\n---\r?\n?([\s\S]*)$/;

/** What the workspace adds to every turn: always-applied rules, then `AGENTS.md`. */
export function readRules(workspace: string): string | undefined {
  const texts = [...readRuleFiles(join(workspace, ".cursor", "rules")), ...readIfThere(join(workspace, "AGENTS.md"))];
  return texts.length === 0 ? undefined : texts.join("\n\n");
}

function readRuleFiles(directory: string): readonly string[] {
  if (!existsSync(directory)) return [];
  const names = readdirSync(directory).filter((name) => name.endsWith(".mdc"));
  return names.sort().flatMap((name) => {
    const [, head = "", body = ""] = frontMatter.exec(readFileSync(join(directory, name), "utf8")) ?? [];
    return /^alwaysApply:\s*true\s*$/m.test(head) ? [body.trim()] : [];
  });
}

function readIfThere(path: string): readonly string[] {
  return existsSync(path) ? [readFileSync(path, "utf8").trim()] : [];
}
