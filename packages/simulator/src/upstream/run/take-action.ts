import type { ConversationAction } from "@caret/protocol/agent-api/conversation";
import type { RunLink } from "./run-link.ts";
import type { RunStage } from "./run-stage.ts";

export interface Steering {
  readonly link: RunLink;
  /** Undefined until the turn has begun. */
  readonly stage: RunStage | undefined;
  readonly cancel: () => void;
}

/** What the client says while the turn runs: more words of the user, or that it should stop. */
export function takeAction({ action }: ConversationAction, { link, stage, cancel }: Steering): void {
  if (action.case === "cancelAction") cancel();
  if (action.case !== "injectContextAction") return;
  const { injectionId, payload } = action.value;
  const text = payload.case === "userContext" ? payload.value.userMessage?.text : undefined;
  const report = (state: "delivered" | "rejected") =>
    link.update({
      case: "contextInjectionState",
      value: { injectionId, state: { state: { case: state, value: {} } } },
    });
  if (stage === undefined || text === undefined) return report("rejected");
  stage.inject({ role: "user", text });
  report("delivered");
}
