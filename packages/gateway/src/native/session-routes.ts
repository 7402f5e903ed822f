import type { Sessions } from "@caret/protocol";
import type { FastifyInstance } from "fastify";
import { readBody, readPart } from "../http/read-body.ts";
import { changeSessionBody, createSessionBody, forkSessionBody } from "./bodies.ts";
import type { Idempotency } from "./idempotency.ts";
import { command, question } from "./native-command.ts";
import { sessionListQuery } from "./queries.ts";

const config = { access: "sessions" } as const;

/** Sessions as wholes: which there are, and what becomes of them. */
export function sessionRoutes(app: FastifyInstance, desk: Sessions, idempotency: Idempotency): void {
  app.get(
    "/api/sessions",
    { config },
    question(({ request, caller }) => desk.list(readPart(sessionListQuery, request.query, ""), caller)),
  );
  app.post(
    "/api/sessions",
    { config },
    command(
      idempotency,
      async ({ request, caller }) => {
        const wanted = readBody(createSessionBody, request.body);
        return { status: 201, body: await desk.create(wanted, caller) };
      },
      async ({ sessionId }, { caller }) => ({ status: 201, body: await desk.get(sessionId, caller) }),
    ),
  );
  app.get(
    "/api/sessions/:id",
    { config },
    question(({ params: { id }, caller }) => desk.get(id, caller)),
  );
  app.patch(
    "/api/sessions/:id",
    { config },
    command(idempotency, async ({ request, params: { id }, caller }) => {
      const changes = readBody(changeSessionBody, request.body);
      return { status: 200, body: await desk.change(id, changes, caller) };
    }),
  );
  app.delete(
    "/api/sessions/:id",
    { config },
    command(
      idempotency,
      async ({ params: { id }, caller }) => {
        await desk.delete(id, caller);
        return { status: 204 };
      },
      async () => ({ status: 204 }),
    ),
  );
  app.post(
    "/api/sessions/:id/fork",
    { config },
    command(
      idempotency,
      async ({ request, params: { id }, caller }) => {
        const wanted = readBody(forkSessionBody, request.body);
        return { status: 201, body: await desk.fork(id, wanted, caller) };
      },
      async ({ sessionId }, { caller }) => ({ status: 201, body: await desk.get(sessionId, caller) }),
    ),
  );
  app.get(
    "/api/sessions/:id/changes",
    { config },
    question(({ params: { id }, caller }) => desk.changes(id, caller)),
  );
}
