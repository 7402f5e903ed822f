import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { assertWellFormedTurn } from "@caret/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { barSize } from "../../testing/bar-size.ts";
import type { EventStore, StoredEvent } from "../event-store.ts";
import { interruptRunningTurns } from "../interrupted-end.ts";
import { readAll } from "../read-turns.ts";
import { LOG_FILE, openSqliteEventStore } from "./sqlite-event-store.ts";

const writer = fileURLToPath(new URL("../testing/crash-writer.ts", import.meta.url));
const rounds = barSize({ quick: 5, full: 200 });
const MAX_ACKS_PER_ROUND = 150;

describe("A gateway that is killed with SIGKILL", () => {
  let directory: string;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "caret-crash-"));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  it(`has lost nothing it acknowledged, ${rounds} times over`, { timeout: 30_000 + rounds * 5_000 }, async () => {
    for (let round = 0; round < rounds; round += 1) {
      const acked = await killAfter(1 + Math.floor(Math.random() * MAX_ACKS_PER_ROUND));
      const began = performance.now();
      const store = openSqliteEventStore({ directory, role: "gateway" });
      expect(performance.now() - began).toBeLessThan(2_000);
      await interruptRunningTurns(store);
      for (const [sessionId, seq] of acked) await expectWhole(store, sessionId, seq);
      await store.close();
      expect(integrity()).toBe("ok");
    }
  });

  /** Runs the writer until it has acknowledged this many, kills it, and returns the last acknowledged seq per session. */
  async function killAfter(acks: number): Promise<ReadonlyMap<string, number>> {
    const child = spawn(process.execPath, [writer, directory]);
    const exited = once(child, "close");
    const acked = await readAcks(child, acks);
    expect((await exited)[1]).toBe("SIGKILL");
    return acked;
  }

  async function readAcks(child: ChildProcessWithoutNullStreams, acks: number): Promise<ReadonlyMap<string, number>> {
    const acked = new Map<string, number>();
    let seen = 0;
    for await (const line of createInterface({ input: child.stdout })) {
      const [sessionId = "", seq] = line.split(" ");
      acked.set(sessionId, Number(seq));
      seen += 1;
      if (seen === acks) child.kill("SIGKILL");
    }
    return acked;
  }

  async function expectWhole(store: EventStore, sessionId: string, ackedSeq: number): Promise<void> {
    const stored: StoredEvent[] = [];
    for await (const each of readAll(store, sessionId)) stored.push(each);
    expect(stored.length).toBeGreaterThanOrEqual(ackedSeq);
    expect(stored.every(({ seq }, index) => seq === index + 1)).toBe(true);
    for (const turnId of new Set(stored.map((each) => each.turnId)))
      assertWellFormedTurn(stored.filter((each) => each.turnId === turnId).map(({ event }) => event));
  }

  function integrity(): unknown {
    const database = new DatabaseSync(join(directory, LOG_FILE));
    const found = database.prepare("pragma integrity_check").get()?.["integrity_check"];
    database.close();
    return found;
  }
});
