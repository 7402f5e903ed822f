import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ExecClientMessageSchema, ExecServerMessage } from "@caret/protocol/agent-api/exec";

/** What the server asks this side to do. */
export type ExecRequest = ExecServerMessage["message"];

export type ExecCase = NonNullable<ExecRequest["case"]>;

/** The arguments of one kind of request. */
export type ArgsOf<Case extends ExecCase> = Extract<ExecRequest, { case: Case }>["value"];

/** The result of a request, in the place that belongs to its kind. */
export type ExecResult = NonNullable<MessageInitShape<typeof ExecClientMessageSchema>["message"]>;

/** The results of a request, several for a stream, and words for the model besides; or why there can be none. */
export type ExecReply =
  | { readonly results: readonly ExecResult[]; readonly aside?: string }
  | { readonly thrown: string; readonly leavesOpen?: true };
