import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createMemoryEventStore } from "../log/testing/memory-event-store.ts";
import { openAttachments } from "../sessions/open-attachments.ts";
import { openScratchDirectories } from "./scratch-directories.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "caret-scratch-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

it("keeps the directories of sessions, and sweeps those whose session is gone", async () => {
  let made = 0;
  let now = Date.now();
  const scratch = openScratchDirectories({ root: directory, newId: () => `directory-${++made}`, now: () => now });
  const [kept, lost] = [scratch.make(""), scratch.make("Be brief.")];
  const store = createMemoryEventStore();
  await store.createSession({ id: "s", workspace: kept, createdAt: now });
  await scratch.sweep(store);
  expect({ isKeptThere: existsSync(kept), isLostThere: existsSync(lost) }).toEqual({
    isKeptThere: true,
    isLostThere: true,
  }); // as long as they are young
  now += 10 * 60_000;
  await scratch.sweep(store);
  expect({ isKeptThere: existsSync(kept), isLostThere: existsSync(lost), mode: statSync(kept).mode & 0o777 }).toEqual({
    isKeptThere: true,
    isLostThere: false,
    mode: 0o700,
  });
  scratch.remove(tmpdir());
  expect(existsSync(tmpdir())).toBe(true);
});

it("keeps the directories of sessions whose data directory was moved, or is reached by another way", async () => {
  const now = Date.now() + 10 * 60_000;
  const [before, moved] = [join(directory, "before"), join(directory, "moved")];
  const open = (root: string) => openScratchDirectories({ root, newId: () => "made", now: () => now });
  const workspace = open(before).make("");
  writeFileSync(join(workspace, "work.txt"), "work");
  const store = createMemoryEventStore();
  await store.createSession({ id: "s", workspace, createdAt: now });
  renameSync(before, moved);
  await open(moved).sweep(store);
  expect(readFileSync(join(moved, "made", "work.txt"), "utf8")).toBe("work");
});

it("keeps everything while a log that was put aside may know whose it is", async () => {
  const now = Date.now() + 10 * 60_000;
  const [root, attached] = [join(directory, "scratch"), join(directory, "attachments")];
  const scratch = openScratchDirectories({ root, newId: () => "made", now: () => now });
  const attachments = openAttachments(attached);
  const places = [scratch.make(""), attachments.directory("s")];
  const aside = join(directory, "caret.db.corrupt-2026-01-01");
  writeFileSync(aside, "");
  const there = async (): Promise<readonly boolean[]> => {
    const store = createMemoryEventStore();
    await scratch.sweep(store);
    await attachments.sweep(store);
    return places.map((place) => existsSync(place));
  };
  const kept = await there();
  rmSync(aside);
  expect([kept, await there()]).toEqual([
    [true, true],
    [false, false],
  ]);
});

it("keeps a directory beside a session's workspace, the same one each time, as long as there is the session", async () => {
  const now = Date.now() + 10 * 60_000;
  const scratch = openScratchDirectories({ root: directory, newId: () => "directory", now: () => now });
  const [kept, lost, odd] = ["s1", "s2", "../../etc"].map((id) => scratch.besideWorkspace(id));
  expect({
    again: scratch.besideWorkspace("s1"),
    areTheSame: kept === lost,
    holdsOddName: scratch.holds(odd ?? ""),
  }).toEqual({ again: kept, areTheSame: false, holdsOddName: true });
  const store = createMemoryEventStore();
  await store.createSession({ id: "s1", workspace: "/projects/one", createdAt: now });
  await scratch.sweep(store);
  expect([kept, lost].map((directory) => existsSync(directory ?? ""))).toEqual([true, false]);
});

it("removes the directory beside a session's workspace without making it first", () => {
  const scratch = openScratchDirectories({ root: directory, newId: () => "directory", now: () => 1 });
  scratch.removeBeside("never made");
  const made = scratch.besideWorkspace("s1");
  const before = readdirSync(directory);
  scratch.removeBeside("s1");
  expect({ before, after: readdirSync(directory) }).toEqual({ before: [basename(made)], after: [] });
});
