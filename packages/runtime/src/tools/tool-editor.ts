/** A command to run in an editor's terminal. */
export interface EditorCommand {
  readonly callId: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly outputBytes: number;
}

/** A file's text in the editor or, in the editor's words, why it was not read. */
export type EditorText = { readonly text: string } | { readonly failed: string };

/** How a command in a terminal ended. */
export interface EditorRun {
  readonly text: string;
  /** The text was truncated to its end. */
  readonly isCut: boolean;
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
}

/**
 * The editor that has the turn's session open, if any; it can come and go during the turn. What it offers takes precedence: its buffers
 * over the disk, its terminals over our processes. Paths are absolute.
 */
export interface ToolEditor {
  /** Undefined if the disk should be used: no editor reads files, or it has no such file. `failed` if the editor did not read this one. */
  readText(path: string, signal: AbortSignal): Promise<EditorText | undefined>;
  /** False if no editor writes files. Rejects if the editor did not write, or left before confirming it. */
  writeText(path: string, text: string, signal: AbortSignal): Promise<boolean>;
  /**
   * Undefined if no editor has terminals. Aborting ends the command; it resolves with the output so far. Rejects if the editor did not run
   * it, or left before it ended.
   */
  run(command: EditorCommand, signal: AbortSignal): Promise<EditorRun | undefined>;
}
