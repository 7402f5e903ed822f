import type { Agents, ChangeQueued, QueuePrompt } from "@caret/protocol";
import { z } from "zod";
import { line, notBlank, oneOf } from "./fields.ts";
import { type NativeApp, read, write } from "./native-routes.ts";

/** Maximum size of a prompt, which has no images here. */
const PROMPT_BYTES = 10 * 1024 * 1024;

const mode = oneOf(["agent", "plan", "ask"]);

const queuePromptBody = z.object({
  prompt: notBlank,
  mode: mode.exactOptional(),
  id: line.min(1, { error: "must not be empty" }).exactOptional(),
}) satisfies z.ZodType<QueuePrompt>;

const changeQueuedBody = z.object({
  prompt: notBlank.exactOptional(),
  mode: mode.exactOptional(),
}) satisfies z.ZodType<ChangeQueued>;

/** Prompts that wait for a session's turns. */
export function queueRoutes(native: NativeApp, agents: Agents): void {
  read(
    native,
    "/api/sessions/:id/queue",
    { summary: "List the prompts that wait for a session's turns, oldest first" },
    ({ params, caller }) => agents.queue(params.id, caller),
  );
  write(
    native,
    ["POST", "/api/sessions/:id/queue"],
    {
      summary: "Queue a prompt for after the turn that runs; the same `id` is stored once",
      body: queuePromptBody,
      status: 202,
      bodyLimit: PROMPT_BYTES,
    },
    ({ params, body, caller }) => agents.queuePrompt(params.id, body, caller),
  );
  write(
    native,
    ["PATCH", "/api/sessions/:id/queue/:messageId"],
    { summary: "Change a prompt that waits", body: changeQueuedBody, bodyLimit: PROMPT_BYTES },
    ({ params: { id, messageId }, body, caller }) => agents.changeQueued(id, messageId, body, caller),
  );
  write(
    native,
    ["DELETE", "/api/sessions/:id/queue/:messageId"],
    { summary: "Remove a prompt that waits", status: 204 },
    ({ params: { id, messageId }, caller }) => agents.removeQueued(id, messageId, caller),
  );
  write(
    native,
    ["POST", "/api/sessions/:id/queue/start"],
    { summary: "Start a turn with the first prompt that waits, also where the queue is held", status: 202 },
    ({ params, caller }) => agents.startQueued(params.id, caller),
  );
}
