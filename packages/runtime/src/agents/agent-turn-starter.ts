import { type Caller, CaretError, type ErrorCode, HUMAN, type MessageView } from "@caret/protocol";
import type { WaitingAgent } from "../log/agent-store.ts";
import type { RunningTurn } from "../turns/session-engine.ts";
import type { AgentsOptions } from "./agents-context.ts";

const RETRY_MS = 2_000;

/** After these the next message would fail in the same way: the agent is suspended, so that its queue is kept. */
const LASTING: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  ...(["budget-exceeded", "usage-limit", "not-logged-in", "bad-key", "policy-disabled"] as const),
  ...(["model-unknown", "model-unavailable", "cli-missing", "cli-not-executable", "cli-broken"] as const),
  ...(["cli-outdated", "workspace-missing", "workspace-forbidden", "workspace-untrusted"] as const),
  ...(["sandbox-unavailable", "unsupported", "storage-failed"] as const),
]);

/** Starts the turn of one agent with the head of its queue. */
export interface AgentTurnStarter {
  /** Resolves when the turn has begun, or could not. Never rejects for what is wrong with this agent alone. */
  start(agent: WaitingAgent): Promise<void>;
  /** A turn that was started here is not settled yet, or could not start a moment ago. */
  isHeld(name: string): boolean;
  /** Why the head of an agent's queue could not start a turn, until it is tried again. */
  problemOf(name: string): string | undefined;
}

/** `onFree` is called when an agent may take its next message. */
export function createAgentTurnStarter(options: AgentsOptions, onFree: () => void): AgentTurnStarter {
  const { store, sessions, onError, retryMs = RETRY_MS } = options;
  const running = new Set<string>();
  const problems = new Map<string, string>();

  const suspend = (name: string, why: string): Promise<void> => store.suspend(name, { since: options.now(), why });

  /** The message waits on: with its agent suspended when trying again cannot help, else until the next attempt. */
  const refused = async (name: string, error: CaretError): Promise<void> => {
    if (LASTING.has(error.code)) return await suspend(name, error.message);
    problems.set(name, error.message);
    setTimeout(() => {
      problems.delete(name);
      onFree();
    }, retryMs).unref();
  };

  const untilSettled = async ({ name, message }: WaitingAgent, turn: RunningTurn): Promise<void> => {
    const stop = turn.asks.onChange(onFree);
    await forgetSecrets(options, message);
    const outcome = await turn.outcome;
    if (outcome.kind === "failed" && LASTING.has(outcome.error.code)) await suspend(name, outcome.error.message);
    await turn.settled;
    stop();
  };

  return {
    async start(agent) {
      const { name, sessionId, message } = agent;
      const command = { name: `message ${message.id}`, digest: message.id, delivers: message.id };
      const caller: Caller = { tokenName: name, command };
      let turn: RunningTurn;
      try {
        turn = await sessions.beginTurn(sessionId, { prompt: promptOf(message) }, caller);
      } catch (reason) {
        return await refused(name, CaretError.from(reason));
      }
      running.add(name);
      void untilSettled(agent, turn)
        .catch((reason: unknown) => onError(CaretError.from(reason)))
        .finally(() => {
          running.delete(name);
          onFree();
        });
    },
    isHeld: (name) => running.has(name) || problems.has(name),
    problemOf: (name) => problems.get(name),
  };
}

function promptOf({ id, from, text, replyTo }: MessageView): string {
  if (from === HUMAN) return replyTo === undefined ? text : `In answer to your message ${replyTo}:\n\n${text}`;
  const answers = replyTo === undefined ? "" : `, in answer to your message ${replyTo}`;
  return `Message ${id} from the agent ${from}${answers}:\n\n${text}`;
}

/** The turn has the words as they were sent; what is kept of them has no secrets. */
export async function forgetSecrets(
  { store, redactor }: Pick<AgentsOptions, "store" | "redactor">,
  { id, text }: MessageView,
): Promise<void> {
  const redacted = redactor().redactText(text);
  if (redacted !== text) await store.rewrite(id, redacted);
}
