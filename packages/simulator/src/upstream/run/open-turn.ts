import { create } from "@bufbuild/protobuf";
import { ConversationStateStructureSchema } from "@caret/protocol/agent-api/conversation";
import type { AgentRunRequest } from "@caret/protocol/agent-api/run";
import type { ModelMessage } from "../../model/model.ts";
import type { Ids } from "../../process/ids.ts";
import { ConversationMemory } from "./conversation-memory.ts";
import type { FrameWriter } from "./frame-writer.ts";
import { type RunContext, readRunContext } from "./run-context.ts";
import type { RunLink } from "./run-link.ts";
import { RunStage } from "./run-stage.ts";
import { prepareAct } from "./tool-acts.ts";

export interface TurnOptions {
  readonly request: AgentRunRequest;
  readonly requestId: string;
  readonly link: RunLink;
  readonly writer: FrameWriter;
  readonly ids: Ids;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

export interface OpenTurn {
  readonly context: RunContext;
  readonly stage: RunStage;
}

/** Asks for the context, reads what the client keeps of the conversation, and sets the stage for the turn. */
export async function openTurn(options: TurnOptions): Promise<OpenTurn> {
  const { request, requestId, link, signal, writer, now } = options;
  const conversationId = request.conversationId ?? requestId;
  const context = await readRunContext(request, link);
  const memory = new ConversationMemory({
    link,
    state: request.conversationState ?? create(ConversationStateStructureSchema),
    preFetched: request.preFetchedBlobs,
    runId: request.runId ?? requestId,
  });
  const earlier = [...(await memory.read()), ...context.history];
  await memory.beginTurn(context.userMessage);
  const prompt = beginWith(context, memory, link);
  const system: ModelMessage[] = context.system === "" ? [] : [{ role: "system", text: context.system }];
  const modelId = request.requestedModel?.modelId ?? request.modelDetails?.modelId ?? "default";
  const acting = { link, workspace: context.workspace, conversationId, modelId };
  const stage = new RunStage({
    link,
    writer,
    memory,
    history: [...system, ...earlier, ...prompt],
    requestId,
    ids: options.ids.fork(`${conversationId}/${earlier.length}`),
    now,
    signal,
    prepare: (call, toolCallId) => prepareAct(call, { ...acting, toolCallId }),
  });
  return { context, stage };
}

/** The user's words are kept and shown first; a turn that is resumed has none. */
function beginWith(
  { userMessage, history }: RunContext,
  memory: ConversationMemory,
  link: RunLink,
): readonly ModelMessage[] {
  memory.append(history);
  if (userMessage === undefined) return [];
  const prompt: ModelMessage = { role: "user", text: userMessage.text };
  memory.append([prompt]);
  link.update({ case: "userMessageAppended", value: { userMessage } });
  return [prompt];
}
