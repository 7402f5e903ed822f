import type { IncomingHttpHeaders } from "node:http";
import { CaretError, type RequestedModel } from "@caret/protocol";
import type { z } from "zod";
import { doorHeaders } from "../door-headers.ts";
import type { DoorRequest } from "../door-request.ts";
import { ignoredFields } from "../ignored-fields.ts";
import { formatInstruction, samplingOf } from "../sampling.ts";
import { sessionKeyOf } from "../session-key.ts";
import { toDoorMessages } from "./messages.ts";
import { type MessageBody, type MessagesBody, messagesBodySchema } from "./messages-body.ts";
import { systemTexts } from "./system.ts";
import { toRequestTools, toToolChoice } from "./tools.ts";

export interface MessagesRequest {
  readonly request: DoorRequest;
  readonly stream: boolean;
}

/** Read the body of `/v1/messages` or of its `count_tokens`. Throws `invalid-request`, naming the field. */
export function parseMessagesRequest(json: unknown, headers: IncomingHttpHeaders): MessagesRequest {
  const parsed = messagesBodySchema.safeParse(json);
  if (!parsed.success) throw new CaretError("invalid-request", firstIssue(parsed.error), { cause: parsed.error });
  const body = parsed.data;
  const { tools, unavailableTools } = toRequestTools(body.tools ?? []);
  const request: DoorRequest = {
    door: "anthropic",
    isWhole: body.stream !== true,
    requestedModel: toRequestedModel(body),
    system: systemOf(body),
    messages: toDoorMessages(body.messages),
    tools,
    unavailableTools,
    toolChoice: toToolChoice(body.tool_choice ?? undefined, tools),
    callableTools: undefined,
    parallelCalls: body.tool_choice?.disable_parallel_tool_use !== true,
    maxOutputTokens: body.max_tokens,
    stopSequences: body.stop_sequences ?? [],
    ignored: ignoredFields(body),
    sampling: samplingOf(body),
    sessionKey: sessionKeyOf(headers, { userId: body.metadata?.user_id }),
    ...doorHeaders(headers),
  };
  return { request, stream: body.stream === true };
}

function toRequestedModel({ model, cursorModel, output_config, thinking }: MessagesBody): RequestedModel {
  const thinks = thinking?.type === undefined ? undefined : thinking.type !== "disabled";
  return { model, cursorModel, effort: output_config?.effort ?? undefined, thinking: thinks };
}

function systemOf({ system, messages, output_config }: MessagesBody): string {
  const format = formatInstruction(output_config?.format);
  const texts = [...systemTexts(system ?? ""), ...messages.flatMap(systemOfMessage), format];
  return texts.filter((text) => text !== "").join("\n\n");
}

/** Claude Code puts reminders between the messages, under the role `system`. */
function systemOfMessage({ role, content }: MessageBody): readonly string[] {
  return role === "system" || role === "developer" ? systemTexts(content) : [];
}

function firstIssue({ issues }: z.ZodError): string {
  const [issue] = issues;
  const path = issue?.path.join(".") ?? "";
  return `${path === "" ? "The body" : path}: ${issue?.message ?? "is not valid"}.`;
}
