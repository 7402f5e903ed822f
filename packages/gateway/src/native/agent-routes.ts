import {
  type AgentBudget,
  type Agents,
  type ChangeAgent,
  type CreateAgent,
  laneNames,
  type MergeAgent,
  type MessageQuery,
  type RemoveAgent,
  type SendMessage,
  type SuspendAgent,
} from "@caret/protocol";
import { z } from "zod";
import {
  filled,
  flag,
  line,
  notBlank,
  oneOf,
  permission,
  queryFlag,
  queryNumberUpTo,
  sandbox,
  text,
} from "./fields.ts";
import { type NativeApp, read, write } from "./native-routes.ts";

const MAX_MESSAGES = 1000;
/** Same limit as for a prompt without images. */
const MESSAGE_BYTES = 10 * 1024 * 1024;

const limit = z.object({
  tokens: z.int({ error: "must be a whole number" }).nonnegative({ error: "must not be negative" }).exactOptional(),
  usd: z.number({ error: "must be a number" }).nonnegative({ error: "must not be negative" }).exactOptional(),
});

const budget = z.object({
  turn: limit.exactOptional(),
  session: limit.exactOptional(),
}) satisfies z.ZodType<AgentBudget>;

const createAgentBody = z.object({
  name: filled,
  workspace: text.exactOptional(),
  worktree: text.exactOptional(),
  model: line.exactOptional(),
  lane: oneOf(laneNames).exactOptional(),
  permission: permission.exactOptional(),
  sandbox: sandbox.exactOptional(),
  budget: budget.exactOptional(),
  userServers: flag.exactOptional(),
  machine: line.exactOptional(),
}) satisfies z.ZodType<CreateAgent>;

const changeAgentBody = z.object({
  model: line.exactOptional(),
  permission: permission.exactOptional(),
  sandbox: sandbox.exactOptional(),
  budget: budget.exactOptional(),
  userServers: flag.exactOptional(),
}) satisfies z.ZodType<ChangeAgent>;

const messageQuery = z.object({
  queued: queryFlag.describe("`true`: only those that wait").exactOptional(),
  limit: queryNumberUpTo(MAX_MESSAGES).describe(`The newest so many, up to ${MAX_MESSAGES}`).exactOptional(),
}) satisfies z.ZodType<MessageQuery>;

const sendMessageBody = z.object({
  text: notBlank,
  id: line.min(1, { error: "must not be empty" }).exactOptional(),
  replyTo: line.exactOptional(),
}) satisfies z.ZodType<SendMessage>;

const suspendBody = z.object({ now: flag.exactOptional() }) satisfies z.ZodType<SuspendAgent>;

const removeBody = z.object({ force: flag.exactOptional() }) satisfies z.ZodType<RemoveAgent>;

const mergeBody = z.object({ preview: filled, message: notBlank.exactOptional() }) satisfies z.ZodType<MergeAgent>;

/** Agents: create, list, change, suspend, resume and remove them. */
export function agentRoutes(native: NativeApp, agents: Agents): void {
  read(native, "/api/agents", { summary: "List agents, by name" }, async ({ caller }) => ({
    agents: await agents.list(caller),
  }));
  write(
    native,
    ["POST", "/api/agents"],
    { summary: "Create an agent: a named session with a workspace and a queue", body: createAgentBody, status: 201 },
    ({ body, caller }) => agents.create(body, caller),
    ({ sessionId }, { caller }) => agents.ofSession(sessionId, caller),
  );
  read(native, "/api/agents/:name", { summary: "Get an agent" }, ({ params, caller }) =>
    agents.get(params.name, caller),
  );
  write(
    native,
    ["PATCH", "/api/agents/:name"],
    { summary: "Change an agent, from its next turn on", body: changeAgentBody },
    ({ params, body, caller }) => agents.change(params.name, body, caller),
  );
  write(
    native,
    ["POST", "/api/agents/:name/remove"],
    { summary: "Delete an agent with its session, queue and worktree", body: removeBody, status: 204 },
    ({ params, body, caller }) => agents.remove(params.name, body, caller),
  );
  holdRoutes(native, agents);
  messageRoutes(native, agents);
  humanRoutes(native, agents);
  mergeRoutes(native, agents);
}

function holdRoutes(native: NativeApp, agents: Agents): void {
  write(
    native,
    ["POST", "/api/agents/:name/suspend"],
    { summary: "Free everything of an agent but its session, workspace and queue", body: suspendBody },
    ({ params, body, caller }) => agents.suspend(params.name, body, caller),
  );
  write(
    native,
    ["POST", "/api/agents/:name/resume"],
    { summary: "Let an agent take messages from its queue again" },
    ({ params, caller }) => agents.resume(params.name, caller),
  );
  write(
    native,
    ["POST", "/api/agents/:name/stop"],
    { summary: "Cancel an agent's turn and drop what waits in its queue" },
    async ({ params, caller }) => ({ dropped: await agents.stop(params.name, caller) }),
  );
}

function messageRoutes(native: NativeApp, agents: Agents): void {
  read(
    native,
    "/api/agents/:name/messages",
    { summary: "List messages to an agent, oldest first; `human` is the person's inbox", query: messageQuery },
    async ({ params, query, caller }) => ({ messages: await agents.messages(params.name, query, caller) }),
  );
  write(
    native,
    ["POST", "/api/agents/:name/messages"],
    {
      summary: "Put a message into an agent's queue; the same `id` is stored once",
      body: sendMessageBody,
      status: 202,
      bodyLimit: MESSAGE_BYTES,
    },
    ({ params, body, caller }) => agents.send(params.name, body, caller),
  );
}

function humanRoutes(native: NativeApp, agents: Agents): void {
  write(
    native,
    ["POST", "/api/messages/:id/aside"],
    { summary: "Put a message to `human` aside: it needs no answer" },
    ({ params, caller }) => agents.putAside(params.id, caller),
  );
}

function mergeRoutes(native: NativeApp, agents: Agents): void {
  read(
    native,
    "/api/agents/:name/changes",
    { summary: "Show what an agent changed: in its worktree since it began, else what is uncommitted" },
    ({ params, caller }) => agents.changes(params.name, caller),
  );
  read(
    native,
    "/api/agents/:name/merge",
    { summary: "Preview bringing a worktree's work back; changes nothing" },
    ({ params, caller }) => agents.previewMerge(params.name, caller),
  );
  write(
    native,
    ["POST", "/api/agents/:name/merge"],
    { summary: "Merge a worktree's work as its preview showed it, or change nothing", body: mergeBody },
    ({ params, body, caller }) => agents.merge(params.name, body, caller),
  );
}
