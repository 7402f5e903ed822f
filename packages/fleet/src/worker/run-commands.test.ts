import { CaretError, Secret } from "@caret/protocol";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createAskWorker } from "../gateway/ask-worker.ts";
import type { Members } from "../members/members.ts";
import { type HintListener, openHintListener } from "../seat/hint-listener.ts";
import { shareTestDatabase } from "../testing/share-test-database.ts";
import type { TestDatabase } from "../testing/test-database.ts";
import { createNotifier, type Notifier } from "../wire/notifier.ts";
import { createSealer } from "../wire/sealer.ts";
import { runCommands } from "./run-commands.ts";

let database: TestDatabase;
let listener: HintListener;
let notifier: Notifier;
let end: (() => Promise<void>) | undefined;
const onError = (): void => undefined;
shareTestDatabase((opened) => {
  database = opened;
});
beforeEach(async () => {
  await database.empty();
  listener = openHintListener({ database, onError, pollMs: 20 });
  notifier = createNotifier({ database, onHint: listener.hear, onError });
});
afterEach(async () => {
  await end?.();
  await notifier.close();
  await listener.close();
});

const sealer = createSealer(new Secret("the key of a fleet in a test, long enough"));
const members = { isThere: async () => true, hasWorker: async () => true } as unknown as Members;

/** A worker that loses its connection at the first statement like this one, before or after it is done; records what it was asked. */
function workerThatLoses(statement: RegExp, when: string): { readonly asked: unknown[] } {
  const asked: unknown[] = [];
  let isLost = false;
  const query: typeof database.query = async (...given) => {
    const isMeant = !isLost && statement.test(given[0]);
    const result = isMeant && when === "before" ? { rows: [], count: 1 } : await database.query(...given);
    if (!isMeant || result.count === 0) return result;
    isLost = true;
    throw new CaretError("storage-failed", "PostgreSQL cannot be reached", {
      cause: Object.assign(new Error("Connection terminated unexpectedly"), { code: "ECONNRESET" }),
    });
  };
  end = runCommands({
    database: { ...database, query },
    sealer,
    listener,
    notifier,
    owner: "worker-1",
    shared: "shared",
    isLeaving: () => false,
    handlers: {
      async double(number: number) {
        asked.push(number);
        return 2 * number;
      },
    },
    onError,
  });
  return { asked };
}

it.each([
  ["after", "taken", /state = 'running'/],
  ["before", "answered", /state = 'done'/],
  ["after", "answered", /state = 'done'/],
])(
  "a command is run once and answered when the connection is lost %s it was %s",
  async (when, _name, statement) => {
    const { asked } = workerThatLoses(statement, when);
    const ask = createAskWorker({ database, sealer, listener, notifier, members, owner: "gateway-1" });
    const answers = await Promise.all([ask("worker-1", "double", [1]), ask("shared", "double", [2])]);
    expect({ asked: asked.toSorted(), answers }).toEqual({ asked: [1, 2], answers: [2, 4] });
  },
  10_000,
);
