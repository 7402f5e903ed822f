import type { OutputStore } from "../outputs/output-store.ts";
import type { ToolContext, ToolOutput } from "../tool.ts";
import type { EditorCommand } from "../tool-editor.ts";
import { execOutput, withNote } from "./exec-output.ts";

/** Bytes of output an editor keeps for us. */
const OUTPUT_BYTES = 4 * 1024 * 1024;

export interface EditorCommandOptions {
  readonly wanted: Pick<EditorCommand, "command" | "args" | "cwd">;
  readonly timeoutMs: number;
  readonly outputs: OutputStore;
}

/** Runs a command in an editor's terminal; undefined if there is none, or if the command must stay in a sandbox. */
export async function runInEditor(
  { editor, enclose, callId = "", signal, onOutput, exact }: ToolContext,
  { wanted, timeoutMs, outputs }: EditorCommandOptions,
): Promise<ToolOutput | undefined> {
  if (editor === undefined || enclose !== undefined) return undefined;
  const late = AbortSignal.timeout(timeoutMs);
  const command = { ...wanted, callId, outputBytes: OUTPUT_BYTES };
  const run = await editor.run(command, AbortSignal.any([signal, late]));
  if (run === undefined) return undefined;
  onOutput?.(run.text);
  const collector = outputs.collect();
  await collector.push(new TextEncoder().encode(run.text));
  const text = await collector.finish();
  const ended = {
    text: run.isCut ? withNote(text, `the terminal kept only the last ${OUTPUT_BYTES} bytes`) : text,
    cut: collector.cut(),
    stopReason: signal.aborted ? "cancelled" : late.aborted ? "timeout" : undefined,
    exitCode: run.exitCode ?? null,
    signal: run.signal ?? null,
    timeoutMs,
  };
  return execOutput(ended, { exact });
}
