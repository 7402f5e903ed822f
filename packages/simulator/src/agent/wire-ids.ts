import type { Ids } from "../process/ids.ts";

/** The ids of one answer of the model: its calls share a model call id, and each has a two-line call id. */
export interface ReplyIds {
  readonly modelCallId: string;
  nextCallId(): string;
}

/** Hands out ids as the wire shows them, newline in the call id included. */
export function createWireIds(ids: Ids, requestId: string): () => ReplyIds {
  let replies = 0;
  let calls = 0;
  return () => {
    const modelCallId = `${requestId}-${replies++}-${ids.short(4)}`;
    const callGroup = ids.uuid();
    const functionGroup = ids.uuid();
    let inReply = 0;
    return { modelCallId, nextCallId: () => `call-${callGroup}-${calls++}\nfc_${functionGroup}_${inReply++}` };
  };
}
