import { appendFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ModelCall, ModelMessage } from "../model/model.ts";

export interface Transcript {
  readonly path: string;
  append(messages: readonly ModelMessage[]): void;
  end(status: "success" | "error"): void;
}

/** The line-by-line transcript beside the project's settings: no tool results, no ids. */
export function createTranscript(projectDir: string, sessionId: string): Transcript {
  const path = join(projectDir, "agent-transcripts", sessionId, `${sessionId}.jsonl`);
  function write(lines: readonly object[]): void {
    if (lines.length === 0) return;
    mkdirSync(dirname(path), { recursive: true });
    appendFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  }
  return {
    path,
    append: (messages) => write(messages.flatMap(toLines)),
    end: (status) => write([{ type: "turn_ended", status }]),
  };
}

function toLines(message: ModelMessage): readonly object[] {
  if (message.role === "user") {
    return [line("user", [{ type: "text", text: `<user_query>\n${message.text}\n</user_query>` }])];
  }
  if (message.role !== "assistant") return [];
  const text = message.text === "" ? [] : [{ type: "text", text: message.text }];
  const uses = message.calls.map((call) => ({ type: "tool_use", name: toTranscriptName(call), input: call.args }));
  return [line("assistant", [...text, ...uses])];
}

function line(role: string, content: readonly object[]): object {
  return { role, message: { content } };
}

const transcriptNames: Readonly<Record<string, string>> = {
  shell: "Shell",
  read: "Read",
  write: "Write",
  edit: "StrReplace",
  delete: "Delete",
  grep: "Grep",
  glob: "Glob",
  ls: "LS",
  task: "Task",
};

function toTranscriptName({ server, name }: ModelCall): string {
  return server === undefined ? (transcriptNames[name] ?? name) : `mcp_${server}_${name}`;
}
