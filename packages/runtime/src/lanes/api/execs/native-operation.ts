import type { ToolCall, ToolResult } from "../../../calls/tool-call.ts";
import type { ExecResult } from "./exec-reply.ts";

/** Maps a native operation to a call of a gateway tool and back: by the call's data, never by its words. */
export interface NativeExec<Args> {
  /** It changes something: not repeated if the same call requests it again. Others always are. */
  readonly hasEffect: boolean;
  /** Throws for requests that cannot be done as asked. */
  readonly toCall: (args: Args, workspace: string) => ToolCall;
  /** One result, or several for a stream. A failed result may have no data. */
  readonly toResults: (args: Args, result: ToolResult, workspace: string) => readonly ExecResult[];
}
