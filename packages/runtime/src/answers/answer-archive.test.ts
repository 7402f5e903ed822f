import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CaretError } from "@caret/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type AnswerArchive, type AnswerArchiveOptions, openAnswerArchive } from "./answer-archive.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
let directory: string;
let open: AnswerArchive[];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "caret-answers-"));
  open = [];
});
afterEach(() => {
  for (const archive of open) archive.close();
  rmSync(directory, { recursive: true, force: true });
});

function archive(options: Partial<AnswerArchiveOptions> = {}): AnswerArchive {
  const opened = openAnswerArchive({ directory, ...options });
  open.push(opened);
  return opened;
}
const answer = (name: string, sessionId = "s1") => ({ id: name, itemIds: [`item-${name}`], sessionId, body: name });

describe("answers on disk [defect 30]", () => {
  it("are found again by their owner, also by an item, and by nobody else", () => {
    const before = archive();
    before.put("me", answer("a"));
    const after = archive();
    expect([
      after.find("me", { id: "a" }),
      after.find("me", { itemId: "item-a" }),
      after.find("me", { id: "item-a" }),
      after.find("you", { id: "a" }),
      after.find("you", { itemId: "item-a" }),
    ]).toEqual(["a", "a", undefined, undefined, undefined]);
  });

  it("are gone with their session, items and all", () => {
    const kept = archive();
    kept.put("me", answer("a", "s1"));
    kept.put("me", answer("b", "s2"));
    archive().removeSession("s1");
    const found = ["a", "b"].map((id) => [kept.find("me", { id }), kept.find("me", { itemId: `item-${id}` })]);
    expect(found).toEqual([
      [undefined, undefined],
      ["b", "b"],
    ]);
  });

  it("are kept for a month, and the oldest go when there are too many", () => {
    let time = 0;
    const now = () => time;
    const small = archive({ now, maxCharacters: 2 });
    for (const name of ["a", "b", "c", "too long"]) small.put("me", answer(name));
    const inBounds = ["a", "b", "c", "too long"].filter((id) => small.find("me", { id }) !== undefined);
    time = 31 * DAY_MS;
    const later = ["b", "c"].filter((id) => archive({ now }).find("me", { id }) !== undefined);
    expect({ inBounds, later }).toEqual({ inBounds: ["b", "c"], later: [] });
  });

  it("are the user's alone, and a damaged file is put aside with a word about it", () => {
    const path = join(directory, "answers.db");
    writeFileSync(path, "no database at all, and long enough to be taken for one".repeat(20));
    const errors: CaretError[] = [];
    const renewed = archive({ onError: (error) => errors.push(error) });
    renewed.put("me", answer("a"));
    expect({
      found: renewed.find("me", { id: "a" }),
      mode: statSync(path).mode & 0o777,
      aside: readdirSync(directory).filter((name) => name.startsWith("answers.db.corrupt-")).length,
      errors: errors.map(({ code }) => code),
    }).toEqual({ found: "a", mode: 0o600, aside: 1, errors: ["storage-failed"] });
  });
});
