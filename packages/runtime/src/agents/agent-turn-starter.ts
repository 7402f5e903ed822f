import { type Caller, CaretError, type ErrorCode, HUMAN, type MessageView } from "@caret/protocol";
import type { WaitingQueue } from "../log/agent-store.ts";
import { drawMark, markedLines, markRule } from "../turns/prompt-marks.ts";
import type { RunningTurn } from "../turns/session-engine.ts";
import { createAllRights } from "./agent-rights.ts";
import type { AgentsOptions } from "./agents-context.ts";

export const RETRY_MS = 2_000;
/** The client under which a session queue's turns are logged. */
const QUEUE_CLIENT = "queue";

/** Errors that would fail the next message as well: the agent is suspended to keep its queue. */
const LASTING: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  ...(["budget-exceeded", "usage-limit", "not-logged-in", "bad-key", "policy-disabled"] as const),
  ...(["model-unknown", "model-unavailable", "cli-missing", "cli-not-executable", "cli-broken"] as const),
  ...(["cli-outdated", "workspace-missing", "workspace-forbidden", "workspace-untrusted"] as const),
  ...(["sandbox-unavailable", "unsupported", "storage-failed"] as const),
]);

/** Starts a turn with the head of one queue. */
export interface AgentTurnStarter {
  /** Resolves when the turn has begun or failed to. Never rejects for problems of this queue alone. */
  start(queue: WaitingQueue): Promise<void>;
  /** The same for a waiting person: rejects if the turn cannot start, and then changes nothing. */
  begin(queue: Pick<WaitingQueue, "receiver" | "sessionId" | "isAgent" | "message">): Promise<RunningTurn>;
  /** A turn started here has not settled yet, or recently failed to start. */
  isHeld(receiver: string): boolean;
  /** Why the head of a queue could not start a turn, until the next attempt. */
  problemOf(receiver: string): string | undefined;
}

/** `onFree` is called when an agent may take its next message. */
export function createAgentTurnStarter(options: AgentsOptions, onFree: () => void): AgentTurnStarter {
  const { store, sessions, onError, retryMs = RETRY_MS } = options;
  const rights = createAllRights(options);
  const running = new Set<string>();
  const problems = new Map<string, string>();

  const suspend = (name: string, why: string): Promise<void> => store.suspend(name, { since: options.now(), why });

  /** Keeps the message: for a person if retrying cannot help, with its agent suspended, otherwise until the next attempt. */
  const refused = async ({ receiver, isAgent }: WaitingQueue, error: CaretError): Promise<void> => {
    const isLasting = LASTING.has(error.code);
    if (isLasting && isAgent) return await suspend(receiver, error.message);
    problems.set(receiver, error.message);
    if (isLasting) return;
    setTimeout(() => {
      problems.delete(receiver);
      onFree();
    }, retryMs).unref();
  };

  type Begun = Parameters<AgentTurnStarter["begin"]>[0];

  const untilSettled = async ({ receiver, isAgent, message }: Begun, turn: RunningTurn): Promise<void> => {
    const stop = turn.asks.onChange(onFree);
    await forgetSecrets(options, message);
    const outcome = await turn.outcome;
    if (isAgent && outcome.kind === "failed" && LASTING.has(outcome.error.code))
      await suspend(receiver, outcome.error.message);
    await turn.settled;
    stop();
  };

  const begin: AgentTurnStarter["begin"] = async (queue) => {
    const { receiver, sessionId, isAgent, message } = queue;
    const { id, mode } = message;
    const command = { name: `message ${id}`, digest: id, delivers: id };
    // The queue belongs to the session, whoever its user is.
    const caller: Caller = { tokenName: isAgent ? receiver : QUEUE_CLIENT, seesAll: true, command };
    const least = isAgent ? await rights.lessFor(receiver, message.from) : {};
    const wanted = { prompt: promptOf(message), ...(mode === undefined ? {} : { mode }), ...least };
    const turn = await sessions.beginTurn(sessionId, wanted, caller);
    problems.delete(receiver);
    running.add(receiver);
    void untilSettled(queue, turn)
      .catch((reason: unknown) => onError(CaretError.from(reason)))
      .finally(() => {
        running.delete(receiver);
        onFree();
      });
    return turn;
  };

  return {
    begin,
    async start(queue) {
      try {
        await begin(queue);
      } catch (reason) {
        await refused(queue, CaretError.from(reason));
      }
    },
    isHeld: (receiver) => running.has(receiver) || problems.has(receiver),
    problemOf: (receiver) => problems.get(receiver),
  };
}

function promptOf({ id, from, text, replyTo }: MessageView): string {
  if (from === HUMAN) return replyTo === undefined ? text : `In answer to your message ${replyTo}:\n\n${text}`;
  const answers = replyTo === undefined ? "" : `, in answer to your message ${replyTo}`;
  // A message may contain such a line: only the real one carries the prompt's mark.
  const mark = drawMark([text]);
  return `${markRule(mark)}\n\n${markedLines(mark).lead(`Message ${id} from the agent ${from}${answers}:`)}\n${text}`;
}

/** Redacts the stored message once its turn has the original words. */
export async function forgetSecrets(
  { store, redactor }: Pick<AgentsOptions, "store" | "redactor">,
  { id, text }: MessageView,
): Promise<void> {
  const redacted = redactor().redactText(text);
  if (redacted !== text) await store.rewrite(id, redacted);
}
