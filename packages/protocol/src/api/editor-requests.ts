/** What an editor offers to the tools of the session it has open. */
export interface EditorOffer {
  /** Returns a file's text from its buffers, saved or not. */
  readonly reads: boolean;
  /** Writes a file and shows the change in an open buffer. */
  readonly writes: boolean;
  /** Runs commands in its own terminals. */
  readonly terminals: boolean;
}

/** Work for the editor on behalf of a tool call that is already approved. Paths are absolute and inside the session's workspace. */
export type EditorRequest =
  | { readonly kind: "read"; readonly requestId: string; readonly path: string }
  | { readonly kind: "write"; readonly requestId: string; readonly path: string; readonly text: string }
  | {
      readonly kind: "run";
      readonly requestId: string;
      /** The tool call that runs the command. */
      readonly callId: string;
      readonly command: string;
      readonly args: readonly string[];
      readonly cwd: string;
      /** Bytes of output the editor keeps, counted from the end. */
      readonly outputBytes: number;
    };

/**
 * What an editor is sent. `ready` comes first: from then on the editor is used. `withdraw` cancels an earlier request: the editor ends its
 * command and answers the request.
 */
export type FollowedEditorRequest =
  | EditorRequest
  | { readonly kind: "ready" }
  | { readonly kind: "withdraw"; readonly requestId: string };

export interface EditorAnswer {
  /** Why the request failed; if set, ignore all other fields. */
  readonly failed?: string;
  /** Failed because the file exists neither in a buffer nor on the editor's disk, so no unsaved text can be lost. */
  readonly missing?: boolean;
  /** A file's text, or a command's output. */
  readonly text?: string;
  /** The output was truncated to its end. */
  readonly cut?: boolean;
  /** Set if the command exited by itself. */
  readonly exitCode?: number;
  /** Set if a signal ended the command. */
  readonly signal?: string;
}
