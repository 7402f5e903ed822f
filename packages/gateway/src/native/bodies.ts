import {
  type AnswerApproval,
  type AnswerQuestion,
  type ChangeSession,
  type ConnectTest,
  type CreateSession,
  type ForkSession,
  laneNames,
  permissionWords,
  type StartTurn,
  type SteerTurn,
} from "@caret/protocol";
import { z } from "zod";

const MAX_LINE = 500;
const MAX_IMAGES = 10;
const imageTypes = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const;

const oneOf = <const Words extends readonly [string, ...string[]]>(words: Words) =>
  z.enum(words, { error: `must be one of ${words.join(", ")}` });
const text = z.string({ error: "must be a text" });
const line = text.max(MAX_LINE, { error: `must be at most ${MAX_LINE} characters` });
const something = text.regex(/\S/, { error: "must say something" });
const flag = z.boolean({ error: "must be true or false" });
const permission = oneOf(permissionWords);

export const createSessionBody = z.object({
  workspace: text.exactOptional(),
  title: line.exactOptional(),
  lane: oneOf(laneNames).exactOptional(),
  model: line.exactOptional(),
  permission: permission.exactOptional(),
}) satisfies z.ZodType<CreateSession>;

export const changeSessionBody = z.object({
  title: line.exactOptional(),
  archived: flag.exactOptional(),
  permission: permission.exactOptional(),
  model: line.exactOptional(),
}) satisfies z.ZodType<ChangeSession>;

export const forkSessionBody = z.object({
  throughSeq: z.int({ error: "must be the number of an event" }).positive().exactOptional(),
  title: line.exactOptional(),
}) satisfies z.ZodType<ForkSession>;

export const startTurnBody = z.object({
  prompt: something,
  images: z
    .array(z.object({ mediaType: oneOf(imageTypes), base64: text.min(1, { error: "must not be empty" }) }))
    .max(MAX_IMAGES, { error: `must be at most ${MAX_IMAGES}` })
    .exactOptional(),
  model: line.exactOptional(),
  mode: oneOf(["agent", "plan", "ask"]).exactOptional(),
  permission: permission.exactOptional(),
}) satisfies z.ZodType<StartTurn>;

export const steerTurnBody = z.object({ text: something }) satisfies z.ZodType<SteerTurn>;

export const answerQuestionBody = z.object({
  answers: z.array(z.object({ questionId: text, optionIds: z.array(text) })).exactOptional(),
}) satisfies z.ZodType<AnswerQuestion>;

export const answerApprovalBody = z.object({
  decision: oneOf(["approved", "rejected"]),
  reason: text.exactOptional(),
  grant: line.exactOptional(),
  remember: flag.exactOptional(),
}) satisfies z.ZodType<AnswerApproval>;

export const connectTestBody = z.object({
  door: oneOf(["openai", "responses", "anthropic"]),
}) satisfies z.ZodType<ConnectTest>;

export const allowWorkspaceBody = z.object({ path: text.min(1, { error: "must not be empty" }) });
export const createTokenBody = z.object({ name: line });
export const signInBody = z.object({ code: line });

/** What the first message on a WebSocket says: begin after this event, told by its number or its id. */
export const sinceMessage = z.object({
  since: z.union(
    [z.int().nonnegative(), text.regex(/:\d{1,15}$/).transform((id) => Number(id.slice(id.lastIndexOf(":") + 1)))],
    { error: "must be the number of an event, 0 for all, or the id of one" },
  ),
  raw: flag.exactOptional(),
});
