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
  /** Another lane runs the turn: the first one could not, and nothing had been answered yet. */
  "lane-fallback",
  "loop-warning",
  "budget-warning",
  "drift",
  "resume-lost",
  /** Part of the request is not done, though the turn goes on. */
  "not-obeyed",
  "background-task",
  /** What people must know about a sandboxed turn's leftovers: what was taken out of the workspace or kept elsewhere. */
  "sandbox",
  "error",
  /** Said by the user while the turn ran; the message is the text. Repeated with `isHeard` once the agent has it. */
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

/** `after` is authoritative; `unified` is the agent's own description of the change, including its counts. */
const diffSchema = z.object({
  path: z.string(),
  before: z.string().optional(),
  after: z.string().optional(),
  unified: z.string().optional(),
});

const grantKinds = ["command", "path", "address", "call"] as const;

/** Something a person can allow for the rest of the session. */
const grantOfferSchema = z.object({
  /** Identifies the grant in the answer. */
  id: z.string(),
  /** Covers a command, file changes, fetching from a server, or a repetition of the same call. */
  kind: z.enum(grantKinds),
  /** Exactly what is covered: `npm test`, `npm test *`, `src/**`. */
  pattern: z.string(),
  /** The same in words. */
  label: z.string(),
});

const usedGrantSchema = z.object({ id: z.string(), label: z.string() });

const contextSchema = z.object({
  used: z.number().int().nonnegative(),
  /** The model's context window; absent if upstream did not report it. */
  size: z.number().int().positive().optional(),
});

export const outcomeSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("completed") }),
  z.object({ kind: z.literal("cancelled") }),
  z.object({ kind: z.literal("failed"), error: errorInfoSchema }),
]);

/**
 * Everything a turn can emit, on any lane. The only thing that flows between layers.
 *
 * Contract, checked by `assertWellFormedTurn` in every lane's and every dialect's tests:
 * - a turn is one `turn-start`, anything, and one `turn-end`, in that order, even if it failed before it began;
 * - text and thinking come in blocks: `-start`, `-delta`s that never repeat what was shown, `-end`; a block's id is used once, one block is
 *   open at a time, and none is left open at the end;
 * - a `tool-call` comes before its `tool-output`s and its one `tool-result`, and every call has a result before the turn ends
 *   (`interrupted` if none came); a call may start or settle while a text block is open;
 * - events are plain JSON: they survive the store and the browser unchanged.
 */
export const agentEventSchema = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("turn-start"),
    turnId: z.string(),
    lane: z.enum(laneNames),
    /** Why this lane was chosen, if nobody named one. */
    laneReason: z.string().optional(),
    model: z.string().optional(),
    workspace: z.string().optional(),
    /** The prompt. The log is the history, so it holds both sides. */
    prompt: z.string().optional(),
    /** The turn's sandbox; absent if it has none. */
    sandbox: z.enum(sandboxWords).exclude(["off"]).optional(),
    /** Images sent with the prompt, by name among the session's images. */
    images: z.array(z.object({ name: z.string(), mediaType: z.string() })).optional(),
    /** Who asked: the name of the client's token, or the command. */
    client: z.string().optional(),
    /** Who runs the tools, if not the agent. In that case every call is logged before it is made. */
    owner: z.enum(["client", "gateway"]).optional(),
    /** If absent, the agent was to carry the prompt out. */
    mode: z.enum(["plan", "ask"]).optional(),
  }),
  /** Upstream's own description: its session id, the model's display name, the version that ran. */
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
    /** The tool's own name; for MCP, the name on its server. */
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
    /** `interrupted` before it started. */
    notRun: z.literal(true).optional(),
    /** The tool's output, as text a person can read. */
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
          /** Free text, instead of or in addition to the options. */
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
  /** With `merge`, items replace those of the same id; without it, they replace the list. */
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
    /** The action to approve: `webFetch`, `webSearch`, `switchMode` … */
    subject: z.string(),
    /** Every argument, exactly as it would be used. */
    input: z.unknown(),
    kind: z.enum(toolKinds).optional(),
    /** The MCP server that offers the tool. */
    server: z.string().optional(),
    /** Why a person is asked. */
    reason: z.string().optional(),
    /** Why this is dangerous. If set, it cannot be granted for the rest of the session. */
    danger: z.string().optional(),
    /** What would happen, in a sentence. */
    effect: z.string().optional(),
    /** The proposed change, relative to the file as it was when this was asked. */
    diff: diffSchema.optional(),
    /** What can be allowed for the rest of the session instead, narrowest first. */
    grants: z.array(grantOfferSchema).optional(),
  }),
  z.object({
    type: z.literal("approval-answer"),
    ...request,
    decision: z.enum(["approved", "rejected"]),
    /** `grant`: a person had already allowed it for the rest of the session. `nobody`: it was not decided, and not run. */
    by: z.enum(["agent", "policy", "person", "grant", "nobody"]),
    reason: z.string().optional(),
    /** What the person allowed for the rest of the session with this answer. */
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
  /** `context` is how full the model's context window is, not what the turn consumed. */
  z.object({ type: z.literal("usage"), usage: usageSchema, context: contextSchema.optional() }),
  z.object({ type: z.literal("turn-end"), outcome: outcomeSchema }),
  /** Upstream output we do not know yet: kept, counted under `label`, never thrown. */
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
