import type { CommitChanges, DiscardHunk, Sessions } from "@caret/protocol";
import { z } from "zod";
import { filled, line, notBlank, oneOf } from "./fields.ts";
import { type NativeApp, read, write } from "./native-routes.ts";

const MAX_PATHS = 1_000;

const changesQuery = z.object({
  since: oneOf(["commit", "session"])
    .default("commit")
    .describe("What to compare with: the last commit, or the workspace when the session began"),
});
const discardBody = z.object({ path: filled, hunk: filled }) satisfies z.ZodType<DiscardHunk>;
const commitBody = z.object({
  message: notBlank,
  paths: z.array(filled).min(1, { error: "must name a file" }).max(MAX_PATHS),
  branch: line.min(1, { error: "must not be empty" }).exactOptional(),
}) satisfies z.ZodType<CommitChanges>;

/** The changed files of a session's workspace, and what can be done with them. */
export function changeRoutes(native: NativeApp, sessions: Sessions): void {
  read(
    native,
    "/api/sessions/:id/changes",
    { summary: "Show what has changed in the session's workspace", query: changesQuery },
    ({ params, query: { since }, caller }) =>
      since === "session" ? sessions.sessionChanges(params.id, caller) : sessions.changes(params.id, caller),
  );
  write(
    native,
    ["POST", "/api/sessions/:id/changes/discard"],
    { summary: "Take one hunk out of a file, if it is still there as shown", body: discardBody, status: 204 },
    ({ params, body, caller }) => sessions.discardHunk(params.id, body, caller),
  );
  write(
    native,
    ["POST", "/api/sessions/:id/changes/commit"],
    { summary: "Commit files of the workspace; nothing is pushed", body: commitBody, status: 201 },
    ({ params, body, caller }) => sessions.commitChanges(params.id, body, caller),
  );
}
