import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { CaretError } from "@caret/protocol";
import { type KvClientMessage, KvClientMessageSchema, type KvServerMessage } from "@caret/protocol/agent-api/run";
import type { StoredConversation } from "./conversation-store.ts";

type Answer = NonNullable<MessageInitShape<typeof KvClientMessageSchema>["message"]>;

/** Keep or give back a blob of the conversation. A blob that is not there is an empty result. */
export function answerKv({ id, message }: KvServerMessage, conversation: StoredConversation): KvClientMessage {
  return create(KvClientMessageSchema, { id, ...answerOf(message, conversation) });
}

function answerOf(
  message: KvServerMessage["message"],
  conversation: StoredConversation,
): { readonly message?: Answer } {
  switch (message.case) {
    case "getBlobArgs": {
      const read = attempt(() => conversation.blob(message.value.blobId));
      return { message: { case: "getBlobResult", value: "error" in read ? read : { blobData: read.value } } };
    }
    case "setBlobArgs": {
      const { blobId, blobData } = message.value;
      const saved = attempt(() => conversation.saveBlob(blobId, blobData));
      return { message: { case: "setBlobResult", value: "error" in saved ? saved : {} } };
    }
    default:
      return {};
  }
}

/** A disk that fails costs the conversation its memory, not the turn: the upstream gets the error. */
function attempt<Value>(
  work: () => Value,
): { readonly value: Value } | { readonly error: { readonly message: string } } {
  try {
    return { value: work() };
  } catch (reason) {
    return { error: { message: CaretError.from(reason).message } };
  }
}
