import { CaretError, type ConnectTest, type FindingView, laneNames, seesMachine } from "@caret/protocol";
import { z } from "zod";
import { testDoor } from "./connect-test.ts";
import { filled, flag, line, oneOf, queryFlag, queryNumberUpTo, queryText } from "./fields.ts";
import type { NativeDoorOptions } from "./native-door-options.ts";
import { type NativeApp, read, write } from "./native-routes.ts";

const MAX_DAYS = 3650;
const DEFAULT_DAYS = 30;

const filesQuery = z.object({
  workspace: queryText.min(1, { error: "must name a directory" }).describe("The directory"),
  query: queryText.default("").describe("Part of the path, or the beginning of the name"),
});
const findFilesQuery = filesQuery.extend({
  folders: queryFlag.default(false).describe("`true`: folders too, with a slash behind"),
});
const commandsQuery = z.object({
  workspace: filesQuery.shape.workspace,
  lane: oneOf(laneNames)
    .exactOptional()
    .describe("The lane of the turns to come: what its agent announced is listed too"),
});
const modelsQuery = z.object({ refresh: queryFlag.default(false).describe("`true`: ask the agent now") });
const usageQuery = z.object({
  days: queryNumberUpTo(MAX_DAYS).default(DEFAULT_DAYS).describe(`Days back, ${DEFAULT_DAYS} by default`),
});
const budgetQuery = z.object({
  session: queryText.exactOptional().describe("Of this session; absent: of a new one"),
});
const connectTestBody = z.object({
  door: oneOf(["openai", "responses", "anthropic"]),
}) satisfies z.ZodType<ConnectTest>;
const createTokenBody = z.object({ name: line });
const allowWorkspaceBody = z.object({
  path: filled,
  keep: flag.default(true).describe("`false`: only until the gateway ends"),
});

/** The gateway around the sessions: about, files, models, usage, doctor, tokens, workspaces. */
export function gatewayRoutes(native: NativeApp, options: NativeDoorOptions): void {
  const { sessions, about, models, doctor } = options;
  read(native, "/api/about", { summary: "Version, lanes, defaults, and the caller's token name" }, ({ maker }) =>
    about(maker),
  );
  read(
    native,
    "/api/files",
    { summary: "Find files in a workspace, best match first", query: findFilesQuery },
    async ({ query: { workspace, query, folders }, caller }) => ({
      files: await sessions.findFiles(workspace, query, caller, { folders }),
    }),
  );
  read(
    native,
    "/api/symbols",
    { summary: "Find where something is defined in a workspace, by how its name begins", query: filesQuery },
    async ({ query: { workspace, query }, caller }) => ({
      symbols: await sessions.findSymbols(workspace, query, caller),
    }),
  );
  read(
    native,
    "/api/commands",
    { summary: "The agent's own / commands in a workspace", query: commandsQuery },
    async ({ query: { workspace, lane }, caller }) => ({
      commands: await sessions.agentCommands(workspace, lane, caller),
    }),
  );
  read(native, "/api/models", { summary: "List all models", query: modelsQuery }, async ({ query }) => ({
    models: await models(query),
  }));
  read(
    native,
    "/api/usage",
    { summary: "Usage by day, model and session", query: usageQuery },
    async ({ query, caller }) => ({ rows: await sessions.usage(query.days, caller) }),
  );
  read(
    native,
    "/api/budget",
    { summary: "How the budgets stand before the next turn", query: budgetQuery },
    async ({ query, caller }) => sessions.budget(query.session, caller),
  );
  read(
    native,
    "/api/doctor",
    {
      summary:
        "Check the installation; each finding says how to fix it. For users and bound tokens: whether all is well",
    },
    async ({ maker }) => ({ findings: seesMachine(maker) ? await doctor() : [summaryOf(await doctor())] }),
  );
  read(
    native,
    "/api/fleet",
    { summary: "The machines of the fleet, what they do, and what waits for them", access: "admin" },
    async () => {
      if (options.fleet === undefined)
        throw new CaretError("not-found", "This gateway is no part of a fleet", {
          fix: "Start it with `store`, the address of a fleet's database.",
        });
      return await options.fleet();
    },
  );
  write(
    native,
    ["POST", "/api/connect/test"],
    { summary: "Send a real request through one of the doors", body: connectTestBody },
    ({ request, body }) => testDoor(body.door, request, options.now),
  );
  adminRoutes(native, options);
}

/** The worst state only: names nothing on the machine. */
function summaryOf(findings: readonly FindingView[]): FindingView {
  const worst = (["fail", "warn"] as const).find((state) => findings.some((finding) => finding.state === state));
  if (worst === undefined) return { check: "gateway", state: "ok", detail: "All is well" };
  const detail = worst === "fail" ? "Something does not work" : "Something is not as it should be";
  return { check: "gateway", state: worst, detail: `${detail}: ask the person who runs this gateway` };
}

function adminRoutes(native: NativeApp, { tokens, workspaces }: NativeDoorOptions): void {
  write(
    native,
    ["POST", "/api/tokens"],
    {
      summary: "Create a token for a client; the secret is shown only in this answer",
      body: createTokenBody,
      status: 201,
    },
    async ({ body: { name }, maker }) => {
      // The token gets the caller's user and workspace: it must not reach further than the token that made it.
      const secret = await tokens.create({ name, caller: maker });
      return { name, token: secret.reveal() };
    },
  );
  write(
    native,
    ["POST", "/api/workspaces"],
    { summary: "Allow turns to work in a directory", access: "admin", body: allowWorkspaceBody, status: 201 },
    async ({ body: { path, keep } }) => ({
      path: await (keep ? workspaces.allow(path) : workspaces.allowForNow(path)),
    }),
  );
  write(
    native,
    ["POST", "/api/workspaces/sample"],
    { summary: "Create a small sample project and allow it as a workspace", access: "admin", status: 201 },
    async () => ({ path: await workspaces.sample() }),
  );
}
