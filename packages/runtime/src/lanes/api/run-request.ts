import { readFile } from "node:fs/promises";
import { create, fromBinary, type MessageInitShape } from "@bufbuild/protobuf";
import { AgentMode } from "@caret/protocol/agent-api/common";
import { ConversationStateStructureSchema } from "@caret/protocol/agent-api/conversation";
import type { RequestedModelSchema } from "@caret/protocol/agent-api/models";
import type { RequestContext } from "@caret/protocol/agent-api/request-context";
import { type AgentClientMessage, AgentClientMessageSchema } from "@caret/protocol/agent-api/run";
import type { SelectedImageSchema } from "@caret/protocol/agent-api/user-message";
import type { LaneRequest, TurnMode } from "../lane.ts";
import type { TurnOffer } from "./turn-offer.ts";

export type RequestedModelInit = MessageInitShape<typeof RequestedModelSchema>;
export type SelectedImageInit = MessageInitShape<typeof SelectedImageSchema>;

const modes: Readonly<Record<TurnMode, AgentMode>> = {
  agent: AgentMode.AGENT,
  ask: AgentMode.ASK,
  plan: AgentMode.PLAN,
};

/** Shared by all attempts at a turn. */
export interface RunSetting {
  readonly request: Pick<LaneRequest, "prompt" | "mode">;
  readonly images: readonly SelectedImageInit[];
  readonly conversationId: string;
  readonly messageId: string;
  /** Blob id of the state before the message. */
  readonly stateBlobId: Uint8Array;
  readonly runId: string;
  readonly model: RequestedModelInit;
  readonly offer: TurnOffer | undefined;
  readonly context: RequestContext;
}

/**
 * The first message of a run: the conversation as last saved, and the user's message; or, for a stream that broke after a checkpoint, the
 * instruction to resume from it.
 */
export function runRequestOf(
  setting: RunSetting,
  checkpoint: Uint8Array | undefined,
  isResumed: boolean,
): AgentClientMessage {
  const { conversationId, runId, model, offer, context } = setting;
  const conversationState =
    checkpoint === undefined
      ? create(ConversationStateStructureSchema)
      : fromBinary(ConversationStateStructureSchema, checkpoint);
  return create(AgentClientMessageSchema, {
    message: {
      case: "runRequest",
      value: {
        conversationState,
        action: { action: isResumed ? { case: "resumeAction", value: { requestContext: context } } : said(setting) },
        mcpTools: { mcpTools: [...(offer?.definitions() ?? [])] },
        conversationId,
        conversationGroupId: conversationId,
        requestedModel: model,
        runId,
        excludeWorkspaceContext: false,
        clientSupportsInlineImages: true,
        clientSupportsRoutedModelUpdate: true,
      },
    },
  });
}

function said({ request, images, messageId, stateBlobId, context }: RunSetting) {
  const userMessage = {
    text: request.prompt,
    messageId,
    mode: modes[request.mode],
    selectedContext: { selectedImages: [...images] },
    conversationStateBlobId: stateBlobId,
  };
  return { case: "userMessageAction", value: { userMessage, requestContext: context } } as const;
}

/** Reads the images of a prompt. */
export async function readImages(
  images: LaneRequest["images"],
  newId: () => string,
): Promise<readonly SelectedImageInit[]> {
  const read = (images ?? []).map(async ({ path, mediaType }): Promise<SelectedImageInit> => {
    const data = await readFile(path);
    return { dataOrBlobId: { case: "data", value: data }, uuid: newId(), path, mimeType: mediaType };
  });
  return await Promise.all(read);
}
