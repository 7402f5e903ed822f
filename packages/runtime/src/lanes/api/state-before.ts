import { createHash } from "node:crypto";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { ConversationStateStructureSchema } from "@caret/protocol/agent-api/conversation";
import type { StoredConversation } from "./conversation-store.ts";

/** The client name used in the state until upstream has set one. */
const CLIENT_NAME = "sdk";

/** The state of a conversation before a message, as the blob the message references. Older clients call it selected_context_blob. */
export interface StateBefore {
  readonly id: Uint8Array;
  readonly data: Uint8Array;
}

export function stateBefore(checkpoint: Uint8Array | undefined): StateBefore {
  const state = fromBinary(ConversationStateStructureSchema, checkpoint ?? new Uint8Array());
  const named = create(ConversationStateStructureSchema, { ...state, agentType: state.agentType ?? CLIENT_NAME });
  const data = toBinary(ConversationStateStructureSchema, named);
  return { id: createHash("sha256").update(data).digest(), data };
}

/**
 * Adds that blob to the conversation. It is saved with the first data upstream saves: a turn must not wait for the disk before it has sent
 * anything, and a turn that saves nothing needs no blob.
 */
export function withStateBefore(conversation: StoredConversation, { id, data }: StateBefore): StoredConversation {
  let isSaved = false;
  const saveFirst = (): void => {
    if (isSaved) return;
    isSaved = true;
    conversation.saveBlob(id, data);
  };
  return {
    ...conversation,
    blob: (wanted) => (Buffer.from(wanted).equals(id) ? data : conversation.blob(wanted)),
    saveBlob(blobId, blob) {
      saveFirst();
      conversation.saveBlob(blobId, blob);
    },
    saveCheckpoint(state) {
      saveFirst();
      conversation.saveCheckpoint(state);
    },
  };
}
