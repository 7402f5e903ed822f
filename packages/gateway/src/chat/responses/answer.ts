import type { ResponseError } from "./errors.ts";
import type { OutputItem } from "./item-store.ts";
import type { ResponsesBody } from "./request.ts";
import type { ResponseUsage } from "./usage.ts";

/** The parts of a response that change while it is made. */
export interface ResponseState {
  readonly status: "in_progress" | "completed" | "incomplete" | "failed";
  readonly error: ResponseError | null;
  readonly output: readonly OutputItem[];
  readonly usage: ResponseUsage | null;
}

export interface ResponseIdentity {
  readonly id: string;
  /** Seconds since the epoch. */
  readonly createdAt: number;
  readonly model: string;
  readonly body: ResponsesBody;
}

export type ResponseObject = ReturnType<typeof toResponseObject>;

/** The whole response object, with the request's own settings echoed as OpenAI does. */
export function toResponseObject({ id, createdAt, model, body }: ResponseIdentity, state: ResponseState) {
  return {
    id,
    object: "response",
    created_at: createdAt,
    status: state.status,
    error: state.error,
    incomplete_details: state.status === "incomplete" ? { reason: "max_output_tokens" } : null,
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    model,
    output: state.output,
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    previous_response_id: body.previous_response_id ?? null,
    reasoning: { effort: body.reasoning?.effort ?? null, summary: body.reasoning?.summary ?? null },
    store: body.store ?? true,
    text: body.text ?? { format: { type: "text" } },
    tool_choice: body.tool_choice ?? "auto",
    tools: body.tools ?? [],
    truncation: "disabled",
    usage: state.usage,
    metadata: body.metadata ?? {},
  } as const;
}
