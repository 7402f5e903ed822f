import type { Model, ModelRequest } from "../model/model.ts";
import type { Stage } from "./stage.ts";

/** No honest task needs more; a mind that goes on is broken, and the turn must still end. */
const maxReplies = 60;

export interface ModelPlay {
  readonly model: Model;
  readonly stage: Stage;
  /** What the mind knows besides what was said; read before each reply. */
  readonly request: () => Omit<ModelRequest, "messages">;
}

/** Lets the model think, speak and call until it has nothing more to call. */
export async function playModel({ model, stage, request }: ModelPlay): Promise<void> {
  stage.open();
  for (let replies = 0; replies < maxReplies; replies += 1) {
    const reply = model({ ...request(), messages: stage.messages });
    stage.addUsage(reply.usage);
    if (reply.thinking !== undefined) await stage.think(reply.thinking);
    if (reply.text !== undefined) await stage.say(reply.text);
    if (reply.calls.length === 0) break;
    await stage.call(reply.calls);
  }
  await stage.finish();
}
