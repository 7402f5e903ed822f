import { randomUUID } from "node:crypto";
import { CaretError, type Conversations, lastingCaller } from "@caret/protocol";
import { requestScope } from "@caret/runtime";
import { createPatience } from "../log/patience.ts";
import type { Members } from "../members/members.ts";
import { ANYWHERE, machineQueue } from "../queue/job-queue.ts";
import type { ShareView } from "../wire/live-share.ts";
import type { ConversationInput } from "../wire/turn-input.ts";
import type { AskWorker } from "./ask-worker.ts";
import { createLiveShare } from "./live-share.ts";
import { type SubmitTurnOptions, submitTurn } from "./submit-turn.ts";

export interface FleetConversationsOptions extends SubmitTurnOptions {
  readonly members: Members;
  readonly ask: AskWorker;
  /** The gateway's name: its shares end with it. */
  readonly owner: string;
  readonly onError: (error: CaretError) => void;
}

/**
 * The stateless doors of a gateway without agents. Every request of a conversation goes to the worker that has it, which matches the
 * transcript as a stand-alone gateway would: any gateway can bring the results that a parked call waits for.
 */
export function createFleetConversations(options: FleetConversationsOptions): Conversations {
  const { database, owner, onError } = options;
  const patience = createPatience();
  return {
    async open(request, caller) {
      const key = `c-${requestScope(request, caller)}`;
      const id = randomUUID();
      const input: ConversationInput = {
        door: "stateless",
        request,
        caller: lastingCaller(caller),
        gateway: owner,
      };
      const queue = await queueOf(options, key);
      const turn = await submitTurn(options, {
        id,
        key,
        kind: "conversation",
        queue,
        idempotencyKey: undefined,
        input,
      });
      const notifyWorker = (name: string, word: string): void => {
        // Keep trying: the worker keeps the conversation and its agent until it hears this.
        patience
          .retry(() => tellWorker(options, key, name, [id, word]), { keepTrying: true })
          .catch((reason: unknown) => onError(CaretError.from(reason)));
      };
      const view = await turn.begun().catch((reason: unknown) => {
        // The client is told that the database was away. The turn may begin anyway, with nobody to follow it.
        patience
          .retry(() => turn.begun(), { keepTrying: true })
          .then(
            () => notifyWorker("leaveShare", "gone"),
            () => undefined, // it never began
          );
        throw reason;
      });
      return createLiveShare({ ...options, database, id, view: view as ShareView, notifyWorker });
    },
  };
}

async function tellWorker(
  options: FleetConversationsOptions,
  key: string,
  name: string,
  args: readonly unknown[],
): Promise<void> {
  const worker = await workerOf(options, key);
  if (worker !== undefined) await options.ask(worker, name, args);
}

async function workerOf({ database }: FleetConversationsOptions, key: string): Promise<string | undefined> {
  const { rows } = await database.query("select owner from work where key = $1", [key], "read worker");
  const worker = rows[0]?.["owner"];
  return typeof worker === "string" ? worker : undefined;
}

/**
 * The queue of the machine with its directory and chat. A new conversation, or one whose machine is away, can run anywhere: the client
 * sends all of it.
 */
async function queueOf({ database, members }: FleetConversationsOptions, key: string): Promise<string> {
  const { rows } = await database.query("select queue from work where key = $1", [key], "read queue");
  const queue = String(rows[0]?.["queue"] ?? ANYWHERE);
  if (queue === ANYWHERE) return queue;
  const there = (await members.list()).filter(
    ({ role, isThere, isLeaving }) => role === "worker" && isThere && !isLeaving,
  );
  return there.some(({ machine }) => machineQueue(machine) === queue) ? queue : ANYWHERE;
}
