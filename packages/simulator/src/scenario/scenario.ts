import { z } from "zod";
import { acpQuirkNames } from "./acp-quirks.ts";
import { type Step, type StepInput, type StepName, stepShapes } from "./step-shapes.ts";
import { upstreamSchema } from "./wire-shapes.ts";

/** Ways in which some versions of the CLI differ from the one that is simulated; a scenario switches them on by name. */
export const quirkNames = ["plan-in-completion", "plan-in-query", "answers-without-arm"] as const;

export type QuirkName = (typeof quirkNames)[number];

const stepNames = Object.keys(stepShapes) as StepName[];

/** The step's name is the one key of it that names a step. */
export function stepName(step: object): StepName | undefined {
  return stepNames.find((name) => name in step);
}

/** Checked against the one shape its key names, so that a slip is reported against that shape and not against all. */
const stepSchema = z
  .custom<object>((value) => typeof value === "object" && value !== null)
  .transform((value, context): Step => {
    const name = stepName(value);
    if (name === undefined) {
      context.addIssue({ code: "custom", message: `A step is one of ${stepNames.join(", ")}` });
      return z.NEVER;
    }
    const parsed = stepShapes[name].safeParse(value);
    if (parsed.success) return parsed.data;
    for (const issue of parsed.error.issues) context.addIssue({ ...issue, code: "custom", message: issue.message });
    return z.NEVER;
  });

/** A bare list of steps is a turn without conditions. */
const turnSchema = z.preprocess(
  (value) => (Array.isArray(value) ? { steps: value } : value),
  z.strictObject({ when: z.string().optional(), steps: z.array(stepSchema) }),
);

/**
 * What the simulated agent does instead of thinking for itself.
 *
 * A turn is a list of steps, played in order; a `result` step is added when the list has none and does not end the
 * process. Which turn is played: the first whose `when` matches the prompt; else, among those without `when`, the one
 * whose position is the chat's number of earlier turns (or the number of earlier invocations, with `advance`), the last
 * one from there on.
 */
export const scenarioSchema = z.strictObject({
  /** What `--version` prints. */
  version: z.string().optional(),
  /** A slow start: nothing happens before this. */
  bootMs: z.number().min(0).default(0),
  tokensPerDelta: z.int().min(1).optional(),
  deltaMs: z.number().min(0).optional(),
  /** `ignore` never reads a byte; `close` closes it unread. */
  stdin: z.enum(["read", "ignore", "close"]).default("read"),
  advance: z.enum(["chat", "invocation"]).default("chat"),
  /** How the simulated version differs from the newest one. */
  quirks: z.array(z.enum(quirkNames)).default([]),
  models: z.array(z.strictObject({ id: z.string(), name: z.string() })).optional(),
  /** How the upstream behaves; the CLI has none. */
  upstream: upstreamSchema.optional(),
  /** How `agent acp` differs from what its clients expect: each quirk may be switched on or off. */
  acp: z.strictObject({ quirks: z.partialRecord(z.enum(acpQuirkNames), z.boolean()).default({}) }).optional(),
  turns: z.array(turnSchema).default([]),
});

export type Scenario = z.infer<typeof scenarioSchema>;
/** What a scenario file may hold. */
export type ScenarioInput = Omit<z.input<typeof scenarioSchema>, "turns"> & { readonly turns?: readonly TurnInput[] };
type TurnInput = readonly StepInput[] | { readonly when?: string; readonly steps: readonly StepInput[] };
