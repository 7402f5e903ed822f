import type { AnswerApproval, AnswerQuestion, Sessions, StartTurn, SteerTurn } from "@caret/protocol";
import { z } from "zod";
import { filled, flag, line, notBlank, oneOf, permission, sandbox, text } from "./fields.ts";
import { type NativeApp, read, write } from "./native-routes.ts";

/** A prompt may bring images, in base64. */
const PROMPT_BYTES = 64 * 1024 * 1024;
const MAX_IMAGES = 10;
const imageTypes = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const;

const startTurnBody = z.object({
  prompt: notBlank,
  images: z
    .array(z.object({ mediaType: oneOf(imageTypes), base64: filled }))
    .max(MAX_IMAGES, { error: `must be at most ${MAX_IMAGES}` })
    .exactOptional(),
  model: line.exactOptional(),
  mode: oneOf(["agent", "plan", "ask"]).exactOptional(),
  permission: permission.exactOptional(),
  sandbox: sandbox.exactOptional(),
}) satisfies z.ZodType<StartTurn>;

const steerTurnBody = z.object({ text: notBlank }) satisfies z.ZodType<SteerTurn>;

const answerQuestionBody = z.object({
  answers: z
    .array(z.object({ questionId: text, optionIds: z.array(text), text: notBlank.exactOptional() }))
    .exactOptional(),
}) satisfies z.ZodType<AnswerQuestion>;

const answerApprovalBody = z.object({
  decision: oneOf(["approved", "rejected"]),
  reason: text.exactOptional(),
  grant: line.exactOptional(),
  remember: flag.exactOptional(),
}) satisfies z.ZodType<AnswerApproval>;

const accepted = {};

/** Turns: start, cancel and steer them, and answer their questions and approval requests. */
export function turnRoutes(native: NativeApp, sessions: Sessions): void {
  write(
    native,
    ["POST", "/api/sessions/:id/turns"],
    {
      summary: "Start a turn; it runs to its end without a connected client",
      body: startTurnBody,
      status: 202,
      bodyLimit: PROMPT_BYTES,
    },
    ({ params, body, caller }) => sessions.startTurn(params.id, body, caller),
    async ({ sessionId, turn }) => ({ sessionId, ...turn }),
  );
  write(
    native,
    ["POST", "/api/sessions/:id/turns/:turnId/cancel"],
    { summary: "Cancel a turn", status: 202 },
    async ({ params: { id, turnId }, caller }) => {
      await sessions.cancelTurn(id, turnId, caller);
      return accepted;
    },
  );
  write(
    native,
    ["POST", "/api/sessions/:id/turns/:turnId/steer"],
    { summary: "Send a message to a running turn", body: steerTurnBody, status: 202 },
    async ({ params: { id, turnId }, body, caller }) => {
      await sessions.steerTurn(id, turnId, body.text, caller);
      return accepted;
    },
  );
  answerRoutes(native, sessions);
}

function answerRoutes(native: NativeApp, sessions: Sessions): void {
  write(
    native,
    ["POST", "/api/sessions/:id/questions/:requestId"],
    { summary: "Answer the agent's question, or skip it", body: answerQuestionBody, status: 202 },
    async ({ params: { id, requestId }, body, caller }) => {
      await sessions.answerQuestion(id, requestId, body, caller);
      return accepted;
    },
  );
  write(
    native,
    ["POST", "/api/sessions/:id/approvals/:requestId"],
    { summary: "Approve or reject a tool call of the agent", body: answerApprovalBody, status: 202 },
    ({ params: { id, requestId }, body, caller }) => sessions.answerApproval(id, requestId, body, caller),
  );
  read(
    native,
    "/api/sessions/:id/grants",
    { summary: "List what is approved for the rest of the session" },
    async ({ params, caller }) => ({ grants: await sessions.listGrants(params.id, caller) }),
  );
  write(
    native,
    ["DELETE", "/api/sessions/:id/grants/:grantId"],
    { summary: "Revoke a grant: ask for approval again", status: 204 },
    ({ params: { id, grantId }, caller }) => sessions.revokeGrant(id, grantId, caller),
  );
}
