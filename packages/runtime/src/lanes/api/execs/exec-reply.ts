import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ExecClientMessageSchema, ExecServerMessage } from "@caret/protocol/agent-api/exec";

/** What the server asks this side to do. */
export type ExecRequest = ExecServerMessage["message"];

export type ExecCase = NonNullable<ExecRequest["case"]>;

/** The arguments of one kind of request. */
export type ArgsOf<Case extends ExecCase> = Extract<ExecRequest, { case: Case }>["value"];

/** The result of a request, in the field for its kind. */
export type ExecResult = NonNullable<MessageInitShape<typeof ExecClientMessageSchema>["message"]>;

/** A request's results (several for a stream) with optional words for the model; or why there are none. */
export type ExecReply =
  | { readonly results: readonly ExecResult[]; readonly aside?: string }
  | { readonly thrown: string; readonly leavesOpen?: true };
