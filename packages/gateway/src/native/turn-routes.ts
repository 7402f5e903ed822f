import type { Sessions } from "@caret/protocol";
import type { FastifyInstance } from "fastify";
import { readBody } from "../http/read-body.ts";
import { answerApprovalBody, answerQuestionBody, startTurnBody, steerTurnBody } from "./bodies.ts";
import type { Idempotency } from "./idempotency.ts";
import { command, question } from "./native-command.ts";

const config = { access: "sessions" } as const;
/** A prompt may bring pictures, in base64. */
const PROMPT_BYTES = 64 * 1024 * 1024;
const taken = { status: 202, body: {} } as const;

/** What people do with a turn: start it, stop it, speak into it, answer what it asks, and take back what they allowed. */
export function turnRoutes(app: FastifyInstance, desk: Sessions, idempotency: Idempotency): void {
  app.post(
    "/api/sessions/:id/turns",
    { config, bodyLimit: PROMPT_BYTES },
    command(
      idempotency,
      async ({ request, params: { id }, caller }) => {
        const wanted = readBody(startTurnBody, request.body);
        return { status: 202, body: await desk.startTurn(id, wanted, caller) };
      },
      async ({ sessionId, turn }) => ({ status: 202, body: { sessionId, ...turn } }),
    ),
  );
  app.post(
    "/api/sessions/:id/turns/:turnId/cancel",
    { config },
    command(idempotency, async ({ params: { id, turnId }, caller }) => {
      await desk.cancelTurn(id, turnId, caller);
      return taken;
    }),
  );
  app.post(
    "/api/sessions/:id/turns/:turnId/steer",
    { config },
    command(idempotency, async ({ request, params: { id, turnId }, caller }) => {
      const { text } = readBody(steerTurnBody, request.body);
      await desk.steerTurn(id, turnId, text, caller);
      return taken;
    }),
  );
  app.post(
    "/api/sessions/:id/questions/:requestId",
    { config },
    command(idempotency, async ({ request, params: { id, requestId }, caller }) => {
      await desk.answerQuestion(id, requestId, readBody(answerQuestionBody, request.body), caller);
      return taken;
    }),
  );
  app.post(
    "/api/sessions/:id/approvals/:requestId",
    { config },
    command(idempotency, async ({ request, params: { id, requestId }, caller }) => {
      const answer = readBody(answerApprovalBody, request.body);
      return { status: 202, body: await desk.answerApproval(id, requestId, answer, caller) };
    }),
  );
  app.get(
    "/api/sessions/:id/grants",
    { config },
    question(async ({ params: { id }, caller }) => ({ grants: await desk.listGrants(id, caller) })),
  );
  app.delete(
    "/api/sessions/:id/grants/:grantId",
    { config },
    command(idempotency, async ({ params: { id, grantId }, caller }) => {
      await desk.revokeGrant(id, grantId, caller);
      return { status: 204 };
    }),
  );
}
