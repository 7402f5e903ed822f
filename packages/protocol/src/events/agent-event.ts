import { z } from "zod";
import { errorInfoSchema } from "../errors/error-info.ts";
import { usageSchema } from "../usage/usage.ts";
import { sandboxWords } from "./sandbox-word.ts";

export const laneNames = ["cli", "acp", "sdk", "api", "sim"] as const;
export const ownerNames = ["agent", "client", "gateway", "none"] as const;
export const toolKinds = [
  "shell",
  "read",
  "edit",
  "write",
  "search",
  "fetch",
  "todo",
  "task",
  "mcp",
  "question",
  "plan",
  "other",
] as const;
export const noticeKinds = [
  "retry",
  "reconnect",
  "profile-rotation",
  "model-fallback",
  /** Another lane runs the turn: the first could not, and nothing had been answered. */
  "lane-fallback",
  "loop-warning",
  "budget-warning",
  "drift",
  "resume-lost",
  /** Something that the request asked for and that is not done, though the turn goes on. */
  "not-obeyed",
  "background-task",
  /** What a sandboxed turn has left that a person has to know of: what was taken out of the workspace, or kept elsewhere. */
  "sandbox",
  "error",
  /** Said by the user while the turn ran; the message is the text. It comes again, with `isHeard`, when the agent has it. */
  "steer",
] as const;

const block = { blockId: z.string() };
const call = { callId: z.string() };
const request = { requestId: z.string() };

const todoSchema = z.object({
  id: z.string(),
  content: z.string(),
  status: z.enum(["pending", "in-progress", "completed", "cancelled", "unknown"]),
});

const questionSchema = z.object({
  id: z.string(),
  prompt: z.string(),
  options: z.array(z.object({ id: z.string(), label: z.string() })),
  allowMultiple: z.boolean(),
});

/** `after` is the truth about the file; `unified` is how the agent described the change, counts and all. */
const diffSchema = z.object({
  path: z.string(),
  before: z.string().optional(),
  after: z.string().optional(),
  unified: z.string().optional(),
});

const grantKinds = ["command", "path", "address", "call"] as const;

/** What a person may allow for the rest of the session. */
const grantOfferSchema = z.object({
  /** Names it in the answer. */
  id: z.string(),
  /** A command, changes of files, fetching from a server, or the same call again. */
  kind: z.enum(grantKinds),
  /** `npm test`, `npm test *`, `src/**`: exactly what is covered. */
  pattern: z.string(),
  /** The same in words. */
  label: z.string(),
});

const usedGrantSchema = z.object({ id: z.string(), label: z.string() });

const contextSchema = z.object({
  used: z.number().int().nonnegative(),
  /** How much the model takes at once; absent: upstream did not say. */
  size: z.number().int().positive().optional(),
});

export const outcomeSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("completed") }),
  z.object({ kind: z.literal("cancelled") }),
  z.object({ kind: z.literal("failed"), error: errorInfoSchema }),
]);

/**
 * Everything one turn can emit, whichever lane ran it. The only thing that flows between layers.
 *
 * Contract, checked by `assertWellFormedTurn` in every lane's and every dialect's tests:
 * - a turn is one `turn-start`, anything, and one `turn-end`, in that order, even when it failed before it began;
 * - text and thinking come in blocks: `-start`, `-delta`s that never repeat what was shown, `-end`; a block's id is
 *   used once, one block is open at a time, and none is left open at the end;
 * - a `tool-call` comes before its `tool-output`s and its one `tool-result`, and every call has a result before the
 *   turn ends (`interrupted` when none came); a call may start or settle while a text block is open;
 * - events are plain JSON: they survive the store and the browser unchanged.
 */
export const agentEventSchema = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("turn-start"),
    turnId: z.string(),
    lane: z.enum(laneNames),
    /** Why this lane was chosen, where nobody named one. */
    laneReason: z.string().optional(),
    model: z.string().optional(),
    workspace: z.string().optional(),
    /** What was asked. The log is the history, so it holds both sides. */
    prompt: z.string().optional(),
    /** The sandbox that the turn runs in; absent: none. */
    sandbox: z.enum(sandboxWords).exclude(["off"]).optional(),
    /** Pictures that came with it: their names among the session's images. */
    images: z.array(z.object({ name: z.string(), mediaType: z.string() })).optional(),
    /** Who asked: the name of the client's token, or the command. */
    client: z.string().optional(),
    /** Who runs the tools, where that is not the agent: then every call is in the log before it is made. */
    owner: z.enum(["client", "gateway"]).optional(),
    /** Absent: the agent was to carry it out. */
    mode: z.enum(["plan", "ask"]).optional(),
  }),
  /** What upstream said of itself: its session id, the model's display name, the version that ran. */
  z.object({
    type: z.literal("session-ready"),
    sessionId: z.string().optional(),
    model: z.string().optional(),
    workspace: z.string().optional(),
    version: z.string().optional(),
  }),
  z.object({ type: z.literal("text-start"), ...block }),
  z.object({ type: z.literal("text-delta"), ...block, text: z.string() }),
  z.object({ type: z.literal("text-end"), ...block }),
  z.object({ type: z.literal("thinking-start"), ...block }),
  z.object({ type: z.literal("thinking-delta"), ...block, text: z.string() }),
  z.object({ type: z.literal("thinking-end"), ...block, durationMs: z.number().optional() }),
  z.object({
    type: z.literal("tool-call"),
    ...call,
    /** The tool's own name; for MCP the name on its server. */
    name: z.string(),
    kind: z.enum(toolKinds),
    /** The MCP server that offers the tool. */
    server: z.string().optional(),
    input: z.unknown(),
    owner: z.enum(ownerNames),
    description: z.string().optional(),
    parentCallId: z.string().optional(),
  }),
  z.object({ type: z.literal("tool-output"), ...call, text: z.string() }),
  z.object({
    type: z.literal("tool-result"),
    ...call,
    status: z.enum(["ok", "error", "rejected", "interrupted"]),
    /** `interrupted` before it was even started. */
    notRun: z.literal(true).optional(),
    /** What the tool said, as text a person can read. */
    output: z.string(),
    exitCode: z.number().optional(),
    diff: diffSchema.optional(),
    durationMs: z.number().optional(),
  }),
  z.object({
    type: z.literal("question"),
    ...request,
    callId: z.string().optional(),
    title: z.string().optional(),
    questions: z.array(questionSchema),
  }),
  /** `no-input-surface`: no person could have answered, whatever the upstream reported to its model. */
  z.object({
    type: z.literal("question-answer"),
    ...request,
    outcome: z.enum(["answered", "skipped", "no-input-surface"]),
    answers: z
      .array(
        z.object({
          questionId: z.string(),
          optionIds: z.array(z.string()),
          /** The person's own words, instead of the options or besides them. */
          text: z.string().exactOptional(),
        }),
      )
      .optional(),
    reason: z.string().optional(),
  }),
  z.object({
    type: z.literal("plan"),
    callId: z.string().optional(),
    name: z.string().optional(),
    overview: z.string().optional(),
    text: z.string(),
  }),
  /** With `merge` the items replace those of the same id; without it they replace the list. */
  z.object({
    type: z.literal("todos"),
    callId: z.string().optional(),
    items: z.array(todoSchema),
    merge: z.boolean(),
  }),
  z.object({
    type: z.literal("approval-request"),
    ...request,
    callId: z.string().optional(),
    /** What wants to happen: `webFetch`, `webSearch`, `switchMode` … */
    subject: z.string(),
    /** Every argument, as it would be used. */
    input: z.unknown(),
    kind: z.enum(toolKinds).optional(),
    /** The MCP server that offers the tool. */
    server: z.string().optional(),
    /** Why a person is asked. */
    reason: z.string().optional(),
    /** Why this is dangerous. It cannot be granted for the rest of the session then. */
    danger: z.string().optional(),
    /** What would happen, in a sentence. */
    effect: z.string().optional(),
    /** The change that would be made, from the file as it was when this was asked. */
    diff: diffSchema.optional(),
    /** What may be allowed for the rest of the session instead, the narrowest first. */
    grants: z.array(grantOfferSchema).optional(),
  }),
  z.object({
    type: z.literal("approval-answer"),
    ...request,
    decision: z.enum(["approved", "rejected"]),
    /** `grant`: a person has allowed it for the rest of the session, earlier. `nobody`: it was not decided, and not run. */
    by: z.enum(["agent", "policy", "person", "grant", "nobody"]),
    reason: z.string().optional(),
    /** What the person has allowed for the rest of the session with this answer. */
    granted: usedGrantSchema.optional(),
    /** The grants that allowed this. */
    grants: z.array(usedGrantSchema).optional(),
  }),
  z.object({
    type: z.literal("notice"),
    kind: z.enum(noticeKinds),
    message: z.string(),
    detail: z.unknown().optional(),
  }),
  /** `context` is how full the conversation is as the model sees it: not what the turn consumed. */
  z.object({ type: z.literal("usage"), usage: usageSchema, context: contextSchema.optional() }),
  z.object({ type: z.literal("turn-end"), outcome: outcomeSchema }),
  /** What upstream sent and we do not know yet: kept, counted under `label`, never thrown. */
  z.object({ type: z.literal("unknown"), source: z.string(), label: z.string(), value: z.unknown() }),
]);

export type AgentEvent = Readonly<z.infer<typeof agentEventSchema>>;
export type AgentEventOf<Type extends AgentEvent["type"]> = Extract<AgentEvent, { readonly type: Type }>;
export type LaneName = (typeof laneNames)[number];
export type Owner = (typeof ownerNames)[number];
export type ToolKind = (typeof toolKinds)[number];
export type NoticeKind = (typeof noticeKinds)[number];
export type GrantOffer = Readonly<z.infer<typeof grantOfferSchema>>;
export type Todo = Readonly<z.infer<typeof todoSchema>>;
export type ContextFill = Readonly<z.infer<typeof contextSchema>>;
export type FileDiff = Readonly<z.infer<typeof diffSchema>>;
export type TurnOutcome = Readonly<z.infer<typeof outcomeSchema>>;
