import type { FastifyInstance } from "fastify";
import { readBody, readPart } from "../http/read-body.ts";
import { allowWorkspaceBody, connectTestBody, createTokenBody } from "./bodies.ts";
import { testDoor } from "./connect-test.ts";
import type { Idempotency } from "./idempotency.ts";
import { command, question } from "./native-command.ts";
import type { NativeDoorOptions } from "./native-door-options.ts";
import { filesQuery, modelsQuery, usageQuery } from "./queries.ts";

const config = { access: "sessions" } as const;

/** What there is around the sessions: models, files, what was used, and whether all is well. */
export function gatewayRoutes(app: FastifyInstance, options: NativeDoorOptions, idempotency: Idempotency): void {
  const { desk, about, models, doctor, tokens, workspaces } = options;
  app.get(
    "/api/about",
    { config },
    question(({ caller }) => about(caller)),
  );
  app.get(
    "/api/files",
    { config },
    question(async ({ request, caller }) => {
      const { workspace, query } = readPart(filesQuery, request.query, "");
      return { files: await desk.findFiles(workspace, query, caller) };
    }),
  );
  app.get(
    "/api/models",
    { config },
    question(async ({ request }) => ({ models: await models(readPart(modelsQuery, request.query, "")) })),
  );
  app.get(
    "/api/usage",
    { config },
    question(async ({ request, caller }) => ({
      rows: await desk.usage(readPart(usageQuery, request.query, "").days, caller),
    })),
  );
  app.get(
    "/api/doctor",
    { config },
    question(async () => ({ findings: await doctor() })),
  );
  app.post(
    "/api/connect/test",
    { config },
    command(idempotency, async ({ request }) => {
      const { door } = readBody(connectTestBody, request.body);
      return { status: 200, body: await testDoor(door, request, options.now) };
    }),
  );
  app.post(
    "/api/tokens",
    { config },
    command(idempotency, async ({ request, caller }) => {
      const { name } = readBody(createTokenBody, request.body);
      // Bound like the one that asks for it, so that nobody gets out of a workspace this way.
      const secret = await tokens.create({ name, workspace: caller.workspace });
      return { status: 201, body: { name, token: secret.reveal() } };
    }),
  );
  app.post(
    "/api/workspaces",
    { config: { access: "admin" } },
    command(idempotency, async ({ request }) => {
      const { path } = readBody(allowWorkspaceBody, request.body);
      return { status: 201, body: { path: await workspaces.allow(path) } };
    }),
  );
  app.post(
    "/api/workspaces/sample",
    { config: { access: "admin" } },
    command(idempotency, async () => ({ status: 201, body: { path: await workspaces.sample() } })),
  );
}
