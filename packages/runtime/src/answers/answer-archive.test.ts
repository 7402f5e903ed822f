import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CaretError } from "@caret/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { answer, describeAnswerArchive } from "./answer-archive.contract.ts";
import { type AnswerArchive, type AnswerArchiveOptions, openAnswerArchive } from "./answer-archive.ts";

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

describeAnswerArchive("a file", async (now) => archive(now === undefined ? {} : { now }));

describe("answers on disk", () => {
  it("are so many as fit: the oldest go when there are too many", async () => {
    const small = archive({ maxCharacters: 2 });
    const names = ["a", "b", "c", "too long"];
    for (const name of names) await small.put("me", answer(name));
    const found = await Promise.all(names.map((id) => small.find("me", { id })));
    expect(found).toEqual([undefined, "b", "c", undefined]);
  });

  it("are the user's alone, and a damaged file is put aside with a word about it", async () => {
    const path = join(directory, "answers.db");
    writeFileSync(path, "no database at all, and long enough to be taken for one".repeat(20));
    const errors: CaretError[] = [];
    const renewed = archive({ onError: (error) => errors.push(error) });
    await renewed.put("me", answer("a"));
    expect({
      found: await renewed.find("me", { id: "a" }),
      mode: statSync(path).mode & 0o777,
      aside: readdirSync(directory).filter((name) => name.startsWith("answers.db.corrupt-")).length,
      errors: errors.map(({ code }) => code),
    }).toEqual({ found: "a", mode: 0o600, aside: 1, errors: ["storage-failed"] });
  });
});
