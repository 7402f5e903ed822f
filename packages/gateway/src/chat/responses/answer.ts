import type { ResponseError } from "./errors.ts";
import type { OutputItem } from "./item-store.ts";
import { echoRequest } from "./making/request-echo.ts";
import type { ResponsesBody } from "./request.ts";
import type { ResponseUsage } from "./usage.ts";

/** The parts of a response that change while it is made. */
export interface ResponseState {
  readonly status: "queued" | "in_progress" | "completed" | "incomplete" | "failed" | "cancelled";
  readonly error: ResponseError | null;
  readonly output: readonly OutputItem[];
  readonly usage: ResponseUsage | null;
  /** Seconds since the epoch, once it is completed. */
  readonly completedAt: number | null;
}

export interface ResponseIdentity {
  readonly id: string;
  /** Seconds since the epoch. */
  readonly createdAt: number;
  readonly model: string;
  readonly body: ResponsesBody;
}

export type ResponseObject = ReturnType<typeof toResponseObject>;

/** The whole response object as published: every field at every moment, including those with no known value. */
export function toResponseObject({ id, createdAt, model, body }: ResponseIdentity, state: ResponseState) {
  return {
    id,
    object: "response",
    created_at: createdAt,
    completed_at: state.completedAt,
    status: state.status,
    error: state.error,
    incomplete_details: state.status === "incomplete" ? { reason: "max_output_tokens" } : null,
    model,
    output: state.output,
    usage: state.usage,
    access_programs: null,
    ...echoRequest(body),
  } as const;
}
