import { create } from "@bufbuild/protobuf";
import { CaretError } from "@caret/protocol";
import { type AgentClientMessage, AgentClientMessageSchema } from "@caret/protocol/agent-api/run";

export interface RunSteeringOptions {
  readonly runId: string;
  readonly newId: () => string;
}

/** Sends the user's words during a run. Upstream reports the outcome of each message. */
export interface RunSteering {
  /** Resolves when the agent has it. */
  say(text: string, send: (message: AgentClientMessage) => void): Promise<void>;
  /** Upstream reported a message's state. */
  note(injectionId: string, state: string): void;
  /** The run is over: undelivered messages never will be. */
  end(): void;
}

export function createRunSteering({ runId, newId }: RunSteeringOptions): RunSteering {
  const waiting = new Map<string, { readonly resolve: () => void; readonly reject: (reason: CaretError) => void }>();
  return {
    say(text, send) {
      const injectionId = newId();
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      waiting.set(injectionId, { resolve, reject });
      const userMessage = { text, messageId: injectionId, turnSteer: true };
      const value = {
        injectionId,
        expectedRunId: runId,
        payload: { case: "userContext", value: { userMessage } },
      } as const;
      const action = { action: { case: "injectContextAction", value } } as const;
      send(create(AgentClientMessageSchema, { message: { case: "conversationAction", value: action } }));
      return promise;
    },
    note(injectionId, state) {
      if (state === "queued") return;
      const one = waiting.get(injectionId);
      waiting.delete(injectionId);
      if (state === "delivered") one?.resolve();
      else one?.reject(notDelivered());
    },
    end() {
      for (const { reject } of waiting.values()) reject(notDelivered());
      waiting.clear();
    },
  };
}

function notDelivered(): CaretError {
  return new CaretError("unsupported", "The upstream did not give this to the agent in the turn", {
    fix: "Send it as a new prompt.",
  });
}
