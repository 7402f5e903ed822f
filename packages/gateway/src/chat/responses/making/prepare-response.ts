import type { IncomingHttpHeaders } from "node:http";
import type { TurnShare } from "@caret/protocol";
import { displayOf } from "../../activity-text.ts";
import { countAnswer } from "../../answer-usage.ts";
import type { DoorOptions } from "../../serve-answer.ts";
import type { ResponseObject } from "../answer.ts";
import type { CompactionSeal } from "../compaction/compaction-seal.ts";
import type { ItemStore, KeptResponse, Recollection } from "../item-store.ts";
import { toInputItems } from "../items/input-items.ts";
import { type ResponsesRequest, readResponsesRequest, referencesIn } from "../request.ts";
import type { ResponseStreamOptions } from "../stream.ts";

/** What every route of the door gets. */
export interface ResponsesContext extends DoorOptions {
  readonly items: ItemStore;
  /** Absent: nothing can be compacted. */
  readonly seal?: CompactionSeal | undefined;
}

/** A request that was read, and its response to be made. */
export interface PreparedResponse {
  readonly id: string;
  readonly owner: string;
  readonly read: ResponsesRequest;
  readonly isStored: boolean;
  /** The response's fixed parts, once its turn is known. */
  shape(turn: TurnShare): ResponseStreamOptions;
  /** The response with its input, for later requests that go on from it. */
  toKept(response: ResponseObject, turn?: { readonly conversation?: string | undefined }): KeptResponse;
}

export interface RequestParts {
  readonly value: unknown;
  readonly headers: IncomingHttpHeaders;
  readonly owner: string;
}

/** Looks up what the request refers to and reads it. `more`: adds what only this client's connection knows. */
export async function prepareResponse(
  parts: RequestParts,
  context: ResponsesContext,
  readRequest: typeof readResponsesRequest = readResponsesRequest,
  more: (items: Recollection["items"]) => Recollection["items"] = (items) => items,
): Promise<PreparedResponse> {
  const { value, headers, owner } = parts;
  const known = more(await context.items.recall(owner, referencesIn(value)));
  const read = readRequest(value, headers, { owner, items: known, openCompaction: context.seal?.open });
  return toPrepared(read, owner, known, context);
}

function toPrepared(
  read: ResponsesRequest,
  owner: string,
  known: Recollection["items"],
  { newId, now, showActivity }: ResponsesContext,
): PreparedResponse {
  const { body, request } = read;
  const id = `resp_${newId()}`;
  const createdAt = Math.floor(now() / 1000);
  let input: KeptResponse["input"];
  return {
    id,
    owner,
    read,
    isStored: body.store !== false,
    shape: (turn) => ({
      ...{ id, createdAt, model: turn.model, body, request, newId, now },
      showActivity: displayOf(request, showActivity),
      count: countAnswer(request, turn),
    }),
    toKept({ output, ...head }, turn) {
      input ??= toInputItems(body.input, { newId, findItem: (itemId) => known.findItem(owner, itemId) });
      const previousId = body.previous_response_id ?? undefined;
      return { id, previousId, ...read.added, output, conversation: turn?.conversation, head, input };
    },
  };
}
