import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { physicalPath, type Redactor, writePrivateFile } from "@caret/runtime";

const KEPT = 200;

/** The prompts typed in a workspace, for ↑. */
export interface PromptHistory {
  /** Oldest first. */
  list(): readonly string[];
  add(prompt: string): void;
}

export interface PromptHistoryOptions {
  readonly dataDir: string;
  readonly workspace: string;
  readonly redactor: Redactor;
}

/** One file per workspace, mode 0600, without secrets. An unreadable file is started over: only ↑ is lost. */
export function openPromptHistory({ dataDir, workspace, redactor }: PromptHistoryOptions): PromptHistory {
  const name = createHash("sha256").update(physicalPath(workspace)).digest("hex").slice(0, 16);
  const file = join(dataDir, "prompts", `${name}.json`);
  return {
    list: () => read(file),
    add(prompt) {
      const kept = redactor.redactText(prompt);
      // Reread: another chat in this workspace may have added to it.
      const others = read(file).filter((other) => other !== kept);
      writePrivateFile(file, JSON.stringify([...others, kept].slice(-KEPT)));
    },
  };
}

function read(file: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(readFileSync(file, "utf8"));
    return Array.isArray(value) ? value.filter((prompt) => typeof prompt === "string") : [];
  } catch {
    return []; // no prompt typed here yet, or a truncated file
  }
}
