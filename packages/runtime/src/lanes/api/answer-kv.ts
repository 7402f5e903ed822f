import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { CaretError } from "@caret/protocol";
import { type KvClientMessage, KvClientMessageSchema, type KvServerMessage } from "@caret/protocol/agent-api/run";
import type { StoredConversation } from "./conversation-store.ts";

type Answer = NonNullable<MessageInitShape<typeof KvClientMessageSchema>["message"]>;

/** Stores or returns a blob of the conversation. A missing blob gives an empty result. */
export function answerKv(
  { id, message }: KvServerMessage,
  conversation: StoredConversation,
  send: (answer: KvClientMessage) => void,
): void {
  const answer = (value: Answer): void => send(create(KvClientMessageSchema, { id, message: value }));
  if (message.case === "setBlobArgs") {
    conversation.saveBlob(message.value.blobId, message.value.blobData);
    return answer({ case: "setBlobResult", value: {} });
  }
  if (message.case !== "getBlobArgs") return send(create(KvClientMessageSchema, { id }));
  const give = (blobData: Uint8Array | undefined): void =>
    answer({ case: "getBlobResult", value: blobData === undefined ? {} : { blobData } });
  /** A failing disk costs the conversation its memory, not the turn: upstream gets the error. */
  const fail = (reason: unknown): void =>
    answer({ case: "getBlobResult", value: { error: { message: CaretError.from(reason).message } } });
  try {
    const found = conversation.blob(message.value.blobId);
    if (found instanceof Promise) found.then(give, fail);
    else give(found);
  } catch (reason) {
    fail(reason);
  }
}
