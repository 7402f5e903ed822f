import { randomUUID } from "node:crypto";
import { type Caller, CaretError, type Comparisons, type ComparisonView } from "@caret/protocol";
import { isInScope, scopeOf } from "@caret/runtime";
import type { Database, Row } from "../database/open-database.ts";
import { createPatience } from "../log/patience.ts";
import { isThereSql, type Members } from "../members/members.ts";
import type { HintListener } from "../seat/hint-listener.ts";
import { untilFound } from "../seat/until-found.ts";
import type { Sealer } from "../wire/sealer.ts";
import type { SharedComparison } from "../wire/shared-comparison.ts";
import type { ComparisonCommand } from "../wire/worker-commands.ts";
import type { AskWorker } from "./ask-worker.ts";
import { chooseWorker } from "./choose-worker.ts";
import { withoutConnection } from "./fleet-sessions.ts";

export interface FleetComparisonsOptions {
  readonly database: Database;
  readonly sealer: Sealer;
  readonly listener: HintListener;
  readonly members: Members;
  readonly ask: AskWorker;
  /** The gateway's name: workers let go of its followers when it is gone. */
  readonly owner: string;
  readonly onError: (error: CaretError) => void;
}

interface FoundComparison extends SharedComparison {
  /** The worker that runs it. */
  readonly worker: string;
  readonly version: string;
}

type ReadComparison = (id: string) => Promise<FoundComparison | undefined>;

/** Comparisons of workers that are present. If its worker is lost, a comparison is gone, as with a stand-alone gateway. */
const foundSql = `select comparisons.id, owner, view, comparisons.version::text as number from comparisons
  join members on members.id = owner where ${isThereSql}`;

/** Comparisons on a gateway without agents: the worker that started one keeps it and publishes its state in the database. */
export function createFleetComparisons(options: FleetComparisonsOptions): Comparisons {
  const { database, sealer, members, owner, onError } = options;
  const patience = createPatience();
  const ask = async (worker: string, command: ComparisonCommand, args: readonly unknown[]) =>
    (await options.ask(worker, command, args)) as never;
  const read: ReadComparison = async (id) => {
    const { rows } = await database.query(`${foundSql} and comparisons.id = $1`, [id], "read comparison");
    return rows.map((row) => toFound(row, sealer))[0];
  };
  const find = async (id: string, caller: Caller): Promise<FoundComparison> => {
    const found = await read(id);
    if (found !== undefined && isVisible(found, caller)) return found;
    throw new CaretError("not-found", `There is no comparison ${id} (any more)`);
  };
  return {
    async start({ machine, ...wanted }, caller) {
      const worker = await chooseWorker(members, { machine, workspace: wanted.workspace });
      return await ask(worker, "comparisons.start", [wanted, withoutConnection(caller)]);
    },
    async list(caller) {
      const { rows } = await database.query(foundSql, [], "list comparisons");
      const found = rows.map((row) => toFound(row, sealer)).filter((each) => isVisible(each, caller));
      return found.map(({ view }) => view).toSorted((one, other) => one.createdAt - other.createdAt);
    },
    get: async (id, caller) => (await find(id, caller)).view,
    async *follow(id, signal, caller) {
      const { worker } = await find(id, caller);
      const follower = randomUUID();
      await ask(worker, "comparisons.hold", [id, follower, owner, withoutConnection(caller)]);
      try {
        yield* viewsOf(options.listener, id, read, signal);
      } finally {
        // An attended comparison lives only while it is held.
        patience
          .retry(() => ask(worker, "comparisons.letGo", [follower]), { keepTrying: true })
          .catch((reason: unknown) => onError(CaretError.from(reason)));
      }
    },
    async pick(id, wanted, caller) {
      const { worker } = await find(id, caller);
      return await ask(worker, "comparisons.pick", [id, wanted, withoutConnection(caller)]);
    },
    async drop(id, caller, wanted = {}) {
      const { worker } = await find(id, caller);
      return await ask(worker, "comparisons.drop", [id, withoutConnection(caller), wanted]);
    },
  };
}

/** Yields each version seen when looking, until the last one. */
async function* viewsOf(
  listener: HintListener,
  id: string,
  read: ReadComparison,
  signal: AbortSignal,
): AsyncGenerator<ComparisonView> {
  let seen = "";
  const look = async (): Promise<FoundComparison | undefined> => {
    const found = await read(id);
    if (found === undefined) throw new CaretError("interrupted", "The worker that ran this comparison was lost");
    return found.version === seen ? undefined : found;
  };
  while (!signal.aborted) {
    const found = await untilFound({ listener, kind: "comparison", id, look, signal });
    if (found === undefined) return;
    seen = found.version;
    yield found.view;
    if (found.view.state === "picked" || found.view.state === "dropped") return;
  }
}

function toFound(row: Row, sealer: Sealer): FoundComparison {
  const shared = sealer.open(row["view"] as Uint8Array) as SharedComparison;
  return { ...shared, worker: String(row["owner"]), version: String(row["number"]) };
}

function isVisible({ view, user }: SharedComparison, caller: Caller): boolean {
  return isInScope({ workspace: view.repository, ...(user === undefined ? {} : { user }) }, scopeOf(caller));
}
