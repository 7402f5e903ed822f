import type { AgentEvent } from "@caret/protocol";

/** Rejected calls of an agent with its own tools: in print mode Cursor's CLI asks no person, whatever it tells its model. */
export interface UnaskedCalls {
  note(event: AgentEvent): void;
  /** What was not asked and how to allow it; empty if everything ran. */
  hint(command: string): string;
}

export function createUnaskedCalls(): UnaskedCalls {
  const own = new Set<string>();
  const decidedCall = createDecidedCalls();
  let refused = 0;
  return {
    note(event) {
      if (event.type === "tool-call" && event.owner === "agent") own.add(event.callId);
      own.delete(decidedCall(event) ?? "");
      if (event.type === "tool-result" && event.status === "rejected" && own.has(event.callId)) refused += 1;
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

/** Returns the call that a person or the policy, not the agent, decided about, given the event that says so. */
function createDecidedCalls(): (event: AgentEvent) => string | undefined {
  const requested = new Map<string, string | undefined>();
  return (event) => {
    if (event.type === "approval-request") requested.set(event.requestId, event.callId);
    return event.type === "approval-answer" && event.by !== "agent" ? requested.get(event.requestId) : undefined;
  };
}
