import {
  type ChangeSession,
  type CreateSession,
  type ForkSession,
  laneNames,
  type OfferServers,
  type SearchQuery,
  type SessionListQuery,
  type Sessions,
} from "@caret/protocol";
import { z } from "zod";
import {
  filled,
  flag,
  line,
  oneOf,
  permission,
  queryFlag,
  queryNumber,
  queryNumberUpTo,
  queryText,
  sandbox,
  text,
} from "./fields.ts";
import { type NativeApp, read, write } from "./native-routes.ts";

const MAX_SESSIONS = 500;
const MAX_PLACES = 100;
const MAX_SERVERS = 32;

const only = z.literal("true", { error: "must be true" }).transform(() => true as const);

const sessionListQuery = z.object({
  search: queryText.describe("Part of the title, workspace or id").exactOptional(),
  archived: queryFlag.describe("Archived sessions only, or only the others; both when absent").exactOptional(),
  pinned: only.describe("Pinned sessions only").exactOptional(),
  active: only
    .describe("Only those with a turn that has not ended, or whose agent waits for a person's answer")
    .exactOptional(),
  forkedFrom: queryText.describe("Only those copied from the session of this id").exactOptional(),
  limit: queryNumberUpTo(MAX_SESSIONS).describe(`Page size, up to ${MAX_SESSIONS}`).exactOptional(),
  after: queryText.describe("`next` of the previous page").exactOptional(),
}) satisfies z.ZodType<SessionListQuery>;

const searchQuery = z.object({
  query: queryText.min(1, { error: "must have a word to search for" }).describe("Words, and phrases in quotes"),
  session: queryText.describe("Only what was said in this session").exactOptional(),
  limit: queryNumberUpTo(MAX_PLACES).describe(`Page size, up to ${MAX_PLACES}`).exactOptional(),
  before: queryNumber.describe("`next` of the previous page").exactOptional(),
}) satisfies z.ZodType<SearchQuery>;

const createSessionBody = z.object({
  workspace: text.exactOptional(),
  worktree: flag.exactOptional(),
  title: line.exactOptional(),
  lane: oneOf(laneNames).exactOptional(),
  model: line.exactOptional(),
  permission: permission.exactOptional(),
  sandbox: sandbox.exactOptional(),
  machine: line.exactOptional(),
}) satisfies z.ZodType<CreateSession>;

const changeSessionBody = z.object({
  title: line.exactOptional(),
  archived: flag.exactOptional(),
  pinned: flag.exactOptional(),
  permission: permission.exactOptional(),
  sandbox: sandbox.exactOptional(),
  model: line.exactOptional(),
  lane: oneOf(laneNames).exactOptional(),
}) satisfies z.ZodType<ChangeSession>;

const forkSessionBody = z.object({
  throughSeq: z.int({ error: "must be the number of an event" }).nonnegative().exactOptional(),
  title: line.exactOptional(),
}) satisfies z.ZodType<ForkSession>;

const words = z.record(z.string(), z.string());
/** Prefix of the names of the server's tools, where `__` ends it. */
const serverName = z
  .string()
  .max(32)
  .regex(/^[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*$/, "must be a name of letters, digits, `-` and single `_`");
const offerServersBody = z.object({
  servers: z
    .array(
      z.union([
        z.strictObject({
          name: serverName,
          command: filled,
          args: z.array(z.string()).exactOptional(),
          env: words.exactOptional(),
        }),
        z.strictObject({
          name: serverName,
          url: z.url({ protocol: /^https?$/ }),
          headers: words.exactOptional(),
        }),
      ]),
    )
    .max(MAX_SERVERS),
}) satisfies z.ZodType<OfferServers>;

/** Whole sessions: list, create, change, fork and delete them. */
export function sessionRoutes(native: NativeApp, sessions: Sessions): void {
  read(
    native,
    "/api/sessions",
    { summary: "List sessions, most recently updated first", query: sessionListQuery },
    ({ query, caller }) => sessions.list(query, caller),
  );
  read(
    native,
    "/api/search",
    { summary: "Search in what was said, the newest first", query: searchQuery },
    ({ query, caller }) => sessions.search(query, caller),
  );
  write(
    native,
    ["POST", "/api/sessions"],
    { summary: "Create a session", body: createSessionBody, status: 201 },
    ({ body, caller }) => sessions.create(body, caller),
    ({ sessionId }, { caller }) => sessions.get(sessionId, caller),
  );
  read(native, "/api/sessions/:id", { summary: "Get a session" }, ({ params, caller }) =>
    sessions.get(params.id, caller),
  );
  write(
    native,
    ["PATCH", "/api/sessions/:id"],
    { summary: "Change a session", body: changeSessionBody },
    ({ params, body, caller }) => sessions.change(params.id, body, caller),
  );
  write(
    native,
    ["DELETE", "/api/sessions/:id"],
    { summary: "Delete a session that is not running", status: 204 },
    ({ params, caller }) => sessions.delete(params.id, caller),
    async () => undefined,
  );
  write(
    native,
    ["POST", "/api/sessions/:id/fork"],
    { summary: "Create a session with the same history", body: forkSessionBody, status: 201 },
    ({ params, body, caller }) => sessions.fork(params.id, body, caller),
    ({ sessionId }, { caller }) => sessions.get(sessionId, caller),
  );
  write(
    native,
    ["POST", "/api/sessions/:id/servers"],
    {
      summary: "Offer MCP servers to the session's turns, in place of those offered before",
      // They are programs that run on this machine, outside any workspace.
      access: "admin",
      body: offerServersBody,
      status: 204,
    },
    ({ params, body, caller }) => sessions.offerServers(params.id, body, caller),
  );
}
