/** What an editor does for the tools of a session that it has open. */
export interface EditorOffer {
  /** Gives the text of a file as it stands in its buffers, saved or not. */
  readonly reads: boolean;
  /** Writes a file, and shows the change in an open buffer. */
  readonly writes: boolean;
  /** Runs commands in terminals of its own. */
  readonly terminals: boolean;
}

/** What an editor is to do for a tool call, which was approved before. Paths are absolute and in the session's workspace. */
export type EditorRequest =
  | { readonly kind: "read"; readonly requestId: string; readonly path: string }
  | { readonly kind: "write"; readonly requestId: string; readonly path: string; readonly text: string }
  | {
      readonly kind: "run";
      readonly requestId: string;
      /** The call whose command it is. */
      readonly callId: string;
      readonly command: string;
      readonly args: readonly string[];
      readonly cwd: string;
      /** How much of the output the editor keeps, its end. */
      readonly outputBytes: number;
    };

/**
 * What an editor is sent. `ready` comes first: from here on the editor counts. `withdraw` takes an earlier request back: its command
 * is to be ended, and the request answered.
 */
export type FollowedEditorRequest =
  | EditorRequest
  | { readonly kind: "ready" }
  | { readonly kind: "withdraw"; readonly requestId: string };

export interface EditorAnswer {
  /** Why the request could not be fulfilled; nothing else counts then. */
  readonly failed?: string;
  /** It failed since the editor has no such file, neither in a buffer nor on its disk: nothing unsaved can be lost. */
  readonly missing?: boolean;
  /** The text of a file, or what a command printed. */
  readonly text?: string;
  /** The output is only the end of what was printed. */
  readonly cut?: boolean;
  /** Of a command that ended by itself. */
  readonly exitCode?: number;
  /** Of a command that a signal ended. */
  readonly signal?: string;
}
