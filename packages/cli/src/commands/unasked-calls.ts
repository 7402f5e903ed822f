import type { AgentEvent, AgentEventOf } from "@caret/protocol";

/** Rejected calls of an agent with its own tools: in print mode Cursor's CLI asks no person, whatever it says to its model. */
export interface UnaskedCalls {
  note(event: AgentEvent): void;
  /** What was not asked and how to allow it; empty when everything ran. */
  hint(command: string): string;
}

export function createUnaskedCalls(): UnaskedCalls {
  const own = new Set<string>();
  /** By request: the call that it is about. */
  const requested = new Map<string, string>();
  let refused = 0;
  return {
    note(event) {
      if (event.type === "tool-call" && event.owner === "agent") own.add(event.callId);
      if (event.type === "approval-request") requested.set(event.requestId, event.callId ?? "");
      if (isDecidedByOthers(event)) own.delete(requested.get(event.requestId) ?? "");
      if (isRejection(event) && own.has(event.callId)) refused += 1;
    },
    hint(command) {
      if (refused === 0) return "";
      const calls = refused === 1 ? "1 call was" : `${refused} calls were`;
      return (
        `caret: ${calls} not run: nobody was asked. \`${command} run --force\` allows what no rule denies; ` +
        `a new session in a terminal, or on the page (\`${command} serve\`), asks you.\n`
      );
    },
  };
}

/** A person or the policy has decided, not the agent itself. */
function isDecidedByOthers(event: AgentEvent): event is AgentEventOf<"approval-answer"> {
  return event.type === "approval-answer" && event.by !== "agent";
}

function isRejection(event: AgentEvent): event is AgentEventOf<"tool-result"> {
  return event.type === "tool-result" && event.status === "rejected";
}
