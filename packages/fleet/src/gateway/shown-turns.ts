import { CaretError } from "@caret/protocol";
import type { ShownTurn, StoredEvent } from "@caret/runtime";
import type { Database, Row } from "../database/open-database.ts";
import type { HintListener } from "../seat/hint-listener.ts";
import type { Sealer } from "../wire/sealer.ts";
import type { ShownWaits } from "../wire/shown-waits.ts";

/** The fleet's running turns and what they wait for. */
export interface ShownTurns {
  readonly of: (sessionId: string) => ShownTurn | undefined;
  /** Calls back for each session whose turn begins, ends or waits for something else. Returns unsubscribe. */
  onChange(listener: (sessionId: string) => void): () => void;
  /** The worker that runs a turn of the session, read from the database. */
  owner(sessionId: string): Promise<{ readonly turnId: string; readonly worker: string } | undefined>;
  close(): void;
}

export interface ShownTurnsOptions {
  readonly database: Database;
  readonly listener: HintListener;
  readonly sealer: Sealer;
  readonly onError: (error: CaretError) => void;
}

/** Mirrors `running_turns`, so listing sessions costs no query per session. */
export function openShownTurns({ database, listener, sealer, onError }: ShownTurnsOptions): ShownTurns {
  const turns = new Map<string, { readonly shown: ShownTurn; readonly changed: string }>();
  const listeners = new Set<(sessionId: string) => void>();
  const wanted = new Set<string>();
  let isAllWanted = true;
  let isReading = false;

  const note = (sessionId: string, row: Row | undefined): void => {
    const changed = String(row?.["changed"] ?? "");
    if ((turns.get(sessionId)?.changed ?? "") === changed) return;
    if (row === undefined) turns.delete(sessionId);
    else turns.set(sessionId, { shown: toShown(row, sealer), changed });
    for (const listener of [...listeners]) listener(sessionId);
  };
  const read = async (): Promise<void> => {
    while (isAllWanted || wanted.size > 0) {
      const ids = isAllWanted ? undefined : [...wanted];
      isAllWanted = false;
      wanted.clear();
      const { rows } = await database.query(
        `select session_id, turn_id, waits, changed::text as changed from running_turns
         where $1::text[] is null or session_id = any($1)`,
        [ids ?? null],
        "read running turns",
      );
      const found = new Map(rows.map((row) => [String(row["session_id"]), row]));
      for (const id of ids ?? new Set([...turns.keys(), ...found.keys()])) note(id, found.get(id));
    }
  };
  const look = (id?: string): void => {
    if (id === undefined) isAllWanted = true;
    else wanted.add(id);
    if (isReading) return;
    isReading = true;
    void read()
      .catch((reason: unknown) => {
        // The ids asked for may be lost: the next poll reads everything.
        listener.again("running", undefined);
        onError(CaretError.from(reason));
      })
      .finally(() => {
        isReading = false;
      });
  };
  const end = listener.on("running", undefined, look);
  look();

  return {
    of: (sessionId) => turns.get(sessionId)?.shown,
    onChange(listener) {
      const own = (sessionId: string): void => listener(sessionId);
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    async owner(sessionId) {
      const { rows } = await database.query("select turn_id, owner from running_turns where session_id = $1", [
        sessionId,
      ]);
      const [row] = rows;
      return row && { turnId: String(row["turn_id"]), worker: String(row["owner"]) };
    },
    close: end,
  };
}

function toShown(row: Row, sealer: Sealer): ShownTurn {
  const waits =
    row["waits"] instanceof Uint8Array ? (sealer.open(row["waits"]) as ShownWaits) : { asks: [], calls: [] };
  const requests = new Map(waits.asks.map(({ requestId, request }) => [requestId, request]));
  return {
    turnId: String(row["turn_id"]),
    asks: { open: () => waits.asks },
    parked: { open: () => waits.calls.map((name) => ({ callId: "", name, input: {} })) },
    /** A person decides on what was actually said, not on the redacted copy in the log. */
    forDecider: (events) => (requests.size === 0 ? events : events.map((stored) => withRequest(stored, requests))),
  };
}

function withRequest(stored: StoredEvent, requests: ReadonlyMap<string, StoredEvent["event"]>): StoredEvent {
  const { event } = stored;
  if (event.type !== "approval-request" && event.type !== "question") return stored;
  const said = requests.get(event.requestId);
  return said === undefined ? stored : { ...stored, event: said };
}
