/** A command for a terminal of the editor's. */
export interface EditorCommand {
  readonly callId: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly outputBytes: number;
}

/** A file as it stands in the editor; or, in the editor's words, why it was not read. */
export type EditorText = { readonly text: string } | { readonly failed: string };

/** How a command ended in a terminal. */
export interface EditorRun {
  readonly text: string;
  /** The text is only the end of what was printed. */
  readonly isCut: boolean;
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
}

/**
 * The editor in which the turn's session is open, if there is one: it may come and go while the turn runs. Where it offers
 * something, that counts: its buffers before the disk, its terminals before processes of ours. Paths are absolute.
 */
export interface ToolEditor {
  /** Undefined where the disk counts: no editor reads files, or it has no such file. Failed when the editor did not read this one. */
  readText(path: string, signal: AbortSignal): Promise<EditorText | undefined>;
  /** False where no editor writes files. Rejects when the editor did not write, or left before it said so. */
  writeText(path: string, text: string, signal: AbortSignal): Promise<boolean>;
  /**
   * Undefined where no editor has terminals. The signal ends the command; it resolves with what was printed until then. Rejects
   * when the editor did not run it, or left meanwhile.
   */
  run(command: EditorCommand, signal: AbortSignal): Promise<EditorRun | undefined>;
}
