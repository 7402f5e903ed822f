import {
  type Comparisons,
  type DropComparison,
  laneNames,
  type PickCandidate,
  type StartComparison,
  sandboxWords,
} from "@caret/protocol";
import { z } from "zod";
import { followOverSse, toData, toText } from "./event-routes.ts";
import { filled, flag, line, notBlank, oneOf, permission, queryFlag, text } from "./fields.ts";
import { callOf, type NativeApp, read, write } from "./native-routes.ts";

const startComparisonBody = z.object({
  prompt: notBlank,
  models: z.array(line.min(1, { error: "must not be empty" })),
  workspace: filled,
  check: notBlank.exactOptional(),
  lane: oneOf(laneNames).exactOptional(),
  permission: permission.exactOptional(),
  sandbox: oneOf(sandboxWords).exactOptional(),
  attended: flag.exactOptional(),
  machine: line.exactOptional(),
}) satisfies z.ZodType<StartComparison>;

const pickCandidateBody = z.object({
  candidate: filled,
  message: text.exactOptional(),
  force: flag.exactOptional(),
}) satisfies z.ZodType<PickCandidate>;

const dropQuery = z.object({
  force: queryFlag.describe("`true`: also what candidates have beyond the changes that are listed").exactOptional(),
  keep: queryFlag.describe("`true`: nobody has chosen, and every worktree that holds work is kept").exactOptional(),
}) satisfies z.ZodType<DropComparison>;

interface ComparisonRoutesOptions {
  readonly comparisons: Comparisons;
  readonly keepAliveMs: number;
  readonly closing: AbortSignal;
}

/** One prompt for several models: start, follow, pick and drop. */
export function comparisonRoutes(native: NativeApp, { comparisons, ...stream }: ComparisonRoutesOptions): void {
  read(native, "/api/comparisons", { summary: "List comparisons" }, async ({ caller }) => ({
    comparisons: await comparisons.list(caller),
  }));
  write(
    native,
    ["POST", "/api/comparisons"],
    { summary: "Give one prompt to several models, each in a worktree", body: startComparisonBody, status: 201 },
    ({ body, caller }) => comparisons.start(body, caller),
  );
  read(native, "/api/comparisons/:id", { summary: "Get a comparison" }, ({ params, caller }) =>
    comparisons.get(params.id, caller),
  );
  write(
    native,
    ["POST", "/api/comparisons/:id/pick"],
    { summary: "Merge one candidate's work and drop the others", body: pickCandidateBody },
    ({ params, body, caller }) => comparisons.pick(params.id, body, caller),
  );
  write(
    native,
    ["DELETE", "/api/comparisons/:id"],
    { summary: "Drop a comparison: cancel its turns and remove its worktrees", query: dropQuery },
    ({ params, query, caller }) => comparisons.drop(params.id, caller, query),
  );
  const doc = { summary: "Follow a comparison", streams: true };
  native.app.get("/api/comparisons/:id/stream", { config: { access: "sessions", doc } }, async (request, reply) => {
    const { caller, params } = callOf(request);
    await comparisons.get(params.id, caller);
    const follow = (signal: AbortSignal) => toText(batched(comparisons.follow(params.id, signal, caller)), toData);
    await followOverSse({ ...stream, request, reply, follow });
  });
}

async function* batched<Item>(items: AsyncIterable<Item>): AsyncGenerator<readonly Item[]> {
  for await (const item of items) yield [item];
}
