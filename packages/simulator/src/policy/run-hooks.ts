import { spawn } from "node:child_process";
import { parseRecord } from "../json/json.ts";
import type { HookCommand, HookConfig, HookStep } from "./hook-config.ts";

/** What every hook receives about the turn it runs in. */
export interface HookTurn {
  readonly conversationId: string;
  readonly generationId: string;
  readonly model: string;
  readonly cursorVersion: string;
  readonly userEmail: string | null;
  readonly transcriptPath: string | null;
  readonly workspace: string;
}

export interface HookRun {
  readonly step: HookStep;
  readonly turn: HookTurn;
  /** The step's own fields, beside the common ones. */
  readonly payload: Readonly<Record<string, unknown>>;
  /** What a hook's `matcher` is held against. */
  readonly toolName?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal;
}

export interface HookVerdict {
  /** Why the call must not happen; absent when it may. */
  readonly blocked?: string;
  /** What hooks want the model to know besides. */
  readonly contexts: readonly string[];
}

/** Runs the step's hooks one after the other; the first that blocks ends the row. Never rejects. */
export async function runHooks(config: HookConfig, run: HookRun): Promise<HookVerdict> {
  const commands = (config.get(run.step) ?? []).filter(
    ({ matcher }) => matcher === undefined || matcher.test(run.toolName ?? ""),
  );
  const contexts: string[] = [];
  for (const command of commands) {
    const answer = readAnswer(await runHook(command, run), command);
    if (answer.context !== undefined) contexts.push(answer.context);
    if (answer.blocked !== undefined) return { blocked: answer.blocked, contexts };
  }
  return { contexts };
}

export function blockedText(subject: string, message: string): string {
  return [
    `${subject} was blocked by a hook: Hook blocked with message: ${message}`,
    "To view or modify configured hooks, go to Cursor Settings > Hooks.",
    "Agent note: Do not suggest workarounds to the blocked tool.",
  ].join("\n\n");
}

interface HookExit {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const BLOCKING_EXIT_CODE = 2;

function readAnswer(exit: HookExit, command: HookCommand): { blocked?: string; context?: string } {
  if (exit.code === BLOCKING_EXIT_CODE) return { blocked: exit.stderr.trim() || exit.stdout.trim() };
  if (exit.code !== 0) return command.failClosed ? { blocked: `Hook failed: ${command.command}` } : {};
  const answer = parseRecord(exit.stdout) ?? {};
  const context = answer["additional_context"];
  const note = typeof context === "string" ? { context } : {};
  if (answer["permission"] !== "deny") return note;
  const message = answer["agent_message"] ?? answer["agentMessage"] ?? answer["user_message"] ?? answer["userMessage"];
  return { ...note, blocked: typeof message === "string" ? message : "" };
}

function runHook(command: HookCommand, run: HookRun): Promise<HookExit> {
  return new Promise((resolve) => {
    const child = spawn(command.command, {
      shell: true,
      cwd: command.directory,
      detached: true,
      env: { ...run.env, CURSOR_PROJECT_DIR: run.turn.workspace, CURSOR_VERSION: run.turn.cursorVersion },
    });
    const stop = () => killGroup(child.pid);
    const timer = setTimeout(stop, command.timeoutMs);
    run.signal?.addEventListener("abort", stop);
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    const settle = (code: number | null) => {
      clearTimeout(timer);
      run.signal?.removeEventListener("abort", stop);
      resolve({ code, stdout, stderr });
    };
    child.on("error", () => settle(null));
    child.on("close", settle);
    // A hook that ends without reading its payload breaks the pipe, which is its right.
    child.stdin.on("error", () => undefined);
    child.stdin.end(`${JSON.stringify(toPayload(run))}\n`);
  });
}

function toPayload({ step, turn, payload }: HookRun): Readonly<Record<string, unknown>> {
  return {
    conversation_id: turn.conversationId,
    generation_id: turn.generationId,
    model: turn.model,
    ...payload,
    session_id: turn.conversationId,
    hook_event_name: step,
    cursor_version: turn.cursorVersion,
    workspace_roots: [turn.workspace],
    user_email: turn.userEmail,
    transcript_path: step === "sessionStart" ? null : turn.transcriptPath,
  };
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It ended on its own between the decision and the signal.
  }
}
