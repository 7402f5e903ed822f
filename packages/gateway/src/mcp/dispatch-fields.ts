import { type PermissionWord, permissionWords } from "@caret/protocol";
import { z } from "zod";
import { filled, flag, line, notBlank, oneOf, text } from "../native/fields.ts";

const MAX_WAIT_SECONDS = 3_600;

const session = filled.describe("The handle that `run` or `start` gave");

const waitSeconds = z
  .number({ error: "must be a number" })
  .min(0, { error: "must not be negative" })
  .max(MAX_WAIT_SECONDS, { error: `must be at most ${MAX_WAIT_SECONDS}` })
  .describe("How long to wait for the turn; it goes on when the time is over")
  .optional();

/** Arguments of `run` and `start`. */
export function taskFields(ceiling: PermissionWord) {
  const allowed = permissionWords.slice(0, permissionWords.indexOf(ceiling) + 1) as [PermissionWord];
  return z.object({
    prompt: notBlank.describe("The task, with all that the agent has to know: it sees nothing of this conversation"),
    session: session.describe("Go on with this session instead of beginning a new one").optional(),
    workspace: filled
      .describe("The absolute path of the directory to work in; by default the one that the host works in")
      .optional(),
    model: line.describe("A model of Cursor's, `auto` for instance").optional(),
    mode: oneOf(["agent", "plan", "ask"]).describe("`plan` and `ask` change nothing").optional(),
    permission: oneOf(allowed).describe("How much happens without asking; the first asks most").optional(),
    title: line.describe("The session's title in lists").optional(),
  });
}

export const waitField = z.object({ wait_seconds: waitSeconds });
export const sessionField = z.object({ session });
export const statusFields = z.object({ session: session.describe("Absent: the sessions used last").optional() });

export const answerFields = z.object({
  session,
  request: filled.describe("The `request` of the ask"),
  decision: oneOf(["approved", "rejected"]).describe("For an approval").optional(),
  reason: text.describe("Why it is rejected, for the agent").optional(),
  grant: line
    .describe("For an approval: the id of one of its `grants`, allowed for the rest of the session")
    .optional(),
  answers: z
    .array(z.object({ question: filled, options: z.array(text) }))
    .describe("For a question: each question's id with the chosen option ids")
    .optional(),
  skip: flag.describe("For a question: leave it to the agent").optional(),
  wait_seconds: waitSeconds,
});

export type TaskInput = z.infer<ReturnType<typeof taskFields>>;
export type AnswerInput = z.infer<typeof answerFields>;
