import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { createMemoryEventStore } from "../store/memory/memory-event-store.ts";
import { openScratchPlaces } from "./scratch-places.ts";

const directory = mkdtempSync(join(tmpdir(), "caret-scratch-"));
afterEach(() => rmSync(directory, { recursive: true }));

it("keeps the places of sessions, and sweeps those whose session is gone", async () => {
  let made = 0;
  let now = Date.now();
  const scratch = openScratchPlaces({ root: directory, newId: () => `place-${++made}`, now: () => now });
  const [kept, lost] = [scratch.make(""), scratch.make("Be brief.")];
  const store = createMemoryEventStore();
  await store.createSession({ id: "s", workspace: kept, createdAt: now });
  await scratch.sweep(store);
  expect([existsSync(kept), existsSync(lost)]).toEqual([true, true]); // as long as they are young
  now += 10 * 60_000;
  await scratch.sweep(store);
  expect([existsSync(kept), existsSync(lost), statSync(kept).mode & 0o777]).toEqual([true, false, 0o700]);
  scratch.remove(tmpdir());
  expect(existsSync(tmpdir())).toBe(true);
});
