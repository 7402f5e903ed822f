import type { EditorAnswer, Sessions } from "@caret/protocol";
import { z } from "zod";
import { readPart } from "../http/read-body.ts";
import { followOverSse, toData, toText } from "./event-routes.ts";
import { flag, queryFlag, text } from "./fields.ts";
import { callOf, type NativeApp, write } from "./native-routes.ts";

/** Large enough for the text of a file. */
const ANSWER_BYTES = 64 * 1024 * 1024;

const editorQuery = z.object({
  reads: queryFlag.default(false).describe("The editor gives the text of files"),
  writes: queryFlag.default(false).describe("The editor writes files"),
  terminals: queryFlag.default(false).describe("The editor runs commands in its terminals"),
});

const editorAnswerBody = z.object({
  failed: text.exactOptional(),
  missing: flag.exactOptional(),
  text: text.exactOptional(),
  cut: flag.exactOptional(),
  exitCode: z.int({ error: "must be a whole number" }).exactOptional(),
  signal: text.exactOptional(),
}) satisfies z.ZodType<EditorAnswer>;

interface EditorRoutesOptions {
  readonly sessions: Sessions;
  readonly keepAliveMs: number;
  readonly closing: AbortSignal;
}

/**
 * An editor's files and terminals, for the tools of a session it has open. For admin tokens only: an editor supplies the contents of files
 * and is given commands to run.
 */
export function editorRoutes(native: NativeApp, { sessions, ...stream }: EditorRoutesOptions): void {
  const doc = {
    summary: "Serve the session's tools with an editor's files and terminals, until the connection ends",
    query: editorQuery,
    streams: true,
  };
  native.app.get("/api/sessions/:id/editor", { config: { access: "admin", doc } }, async (request, reply) => {
    const { caller, params } = callOf(request);
    const offer = readPart(editorQuery, request.query, "");
    // Answers a session that does not exist with its status, which is not possible once the stream has begun.
    await sessions.get(params.id, caller);
    const follow = (signal: AbortSignal) => toText(sessions.followEditor(params.id, { offer, signal }, caller), toData);
    await followOverSse({ ...stream, request, reply, follow });
  });
  write(
    native,
    ["POST", "/api/sessions/:id/editor/:requestId"],
    {
      summary: "Answer what a tool wants of the editor",
      access: "admin",
      body: editorAnswerBody,
      bodyLimit: ANSWER_BYTES,
      status: 204,
    },
    ({ params: { id, requestId }, body, caller }) => sessions.answerEditor(id, requestId, body, caller),
  );
}
