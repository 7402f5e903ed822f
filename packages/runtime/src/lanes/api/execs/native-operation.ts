import type { ToolCall, ToolResult } from "../../../calls/tool-call.ts";
import type { ExecResult } from "./exec-reply.ts";

/** A native operation as a call of one of the gateway's tools, and the way back: by the call's data, never by its words. */
export interface NativeExec<Args> {
  /** Something is different afterwards: asked for again by the same call, it is not done again. Others always are. */
  readonly hasEffect: boolean;
  /** Rejects what cannot be done as it was asked. */
  readonly toCall: (args: Args, workspace: string) => ToolCall;
  /** One result, or for a stream several. A failed result may have no data. */
  readonly toResults: (args: Args, result: ToolResult, workspace: string) => readonly ExecResult[];
}
