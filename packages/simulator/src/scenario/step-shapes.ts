import { z } from "zod";
import { wireShapes } from "./wire-shapes.ts";

const milliseconds = z.number().min(0);
const count = z.int().min(0);
const pace = { tokensPerDelta: z.int().min(1).optional(), deltaMs: milliseconds.optional() };
const call = z.strictObject({
  name: z.string(),
  server: z.string().optional(),
  args: z.record(z.string(), z.unknown()).default({}),
  started: z.boolean().optional(),
  completed: count.optional(),
});
const usage = z.strictObject({
  inputTokens: count.default(0),
  outputTokens: count.default(0),
  cacheReadTokens: count.default(0),
  cacheWriteTokens: count.default(0),
});
const signal = z.string().regex(/^SIG[A-Z0-9]+$/);
const yes = z.literal(true);

/** The ways the CLI can fail with known words on stderr; the texts are in `failures.ts`. */
export const failureNames = [
  "usage-limit",
  "usage-limit-free",
  "free-plan",
  "rate-limited",
  "policy-force",
  "policy-headless",
  "outdated",
  "network",
  "unavailable",
  "invalid-argument",
  "permission-denied",
  "failed-precondition",
  "unimplemented",
  "session-in-use",
  "no-previous-chats",
  "no-sandbox",
] as const;

/** Every step of a scenario under the key that names it. A step has exactly one of these keys. */
export const stepShapes = {
  // What the agent shows.
  init: z.strictObject({ init: yes }),
  thinking: z.strictObject({ thinking: z.string(), repeat: count.optional(), ...pace }),
  text: z.strictObject({ text: z.string(), repeat: count.optional(), ...pace }),
  tool: z.strictObject({ tool: call }),
  tools: z.strictObject({ tools: z.array(call).min(1) }),
  question: z.strictObject({
    question: z.strictObject({ title: z.string().optional(), prompt: z.string(), options: z.array(z.string()) }),
  }),
  notify: z.strictObject({
    notify: z.strictObject({
      taskId: z.string().optional(),
      status: z.string().default("success"),
      title: z.string(),
      detail: z.string().optional(),
    }),
  }),
  retry: z.strictObject({ retry: z.strictObject({ attempt: count.default(1), isResume: z.boolean().default(true) }) }),
  reconnect: z.strictObject({
    reconnect: z.strictObject({ attempt: count.default(1), endpoint: z.string().optional() }),
  }),
  usage: z.strictObject({ usage: z.union([usage, z.literal(false)]) }),
  event: z.strictObject({ event: z.record(z.string(), z.unknown()) }),
  result: z.strictObject({
    result: z.strictObject({
      text: z.string().optional(),
      isError: z.boolean().optional(),
      subtype: z.enum(["success", "error"]).optional(),
      repeat: z.int().min(1).default(1),
    }),
  }),
  // Time.
  delay: z.strictObject({ delay: milliseconds }),
  hang: z.strictObject({ hang: yes }),
  // Bytes.
  raw: z.strictObject({
    raw: z.union([z.string(), z.array(z.string()), z.strictObject({ base64: z.base64() })]),
    chunkBytes: z.int().min(1).optional(),
    chunkMs: milliseconds.optional(),
  }),
  halfLine: z.strictObject({ halfLine: z.string() }),
  giantLine: z.strictObject({ giantLine: count }),
  invalidUtf8: z.strictObject({ invalidUtf8: yes }),
  stderr: z.strictObject({ stderr: z.string(), repeat: count.optional() }),
  // The process.
  exit: z.strictObject({ exit: z.int().min(0).max(255) }),
  crash: z.strictObject({ crash: signal }),
  fail: z.strictObject({ fail: z.enum(failureNames) }),
  ignoreSignals: z.strictObject({ ignoreSignals: z.array(signal) }),
  grandchild: z.strictObject({
    grandchild: z.strictObject({
      seconds: z.number().min(0).default(60),
      holdPipe: z.boolean().default(true),
      setsid: z.boolean().default(false),
    }),
  }),
  closeStdout: z.strictObject({ closeStdout: yes }),
  // What only `agent acp` has.
  acp: z.strictObject({
    acp: z.union([
      z.strictObject({ request: z.strictObject({ method: z.string(), params: z.record(z.string(), z.unknown()) }) }),
      z.strictObject({ notify: z.strictObject({ method: z.string(), params: z.record(z.string(), z.unknown()) }) }),
      z.strictObject({ update: z.record(z.string(), z.unknown()) }),
      z.strictObject({ stop: z.string() }),
    ]),
  }),
  // What only the upstream has.
  wire: z.strictObject({ wire: z.union(Object.values(wireShapes)) }),
} as const;

export type StepName = keyof typeof stepShapes;
export type StepOf<Name extends StepName> = z.infer<(typeof stepShapes)[Name]>;
export type Step = { [Name in StepName]: StepOf<Name> }[StepName];
/** A step as a file spells it: what has a default may be left out. */
export type StepInput = { [Name in StepName]: z.input<(typeof stepShapes)[Name]> }[StepName];
