import { chownSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { FileDrafts } from "./file-drafts.ts";
import { findTarget } from "./file-target.ts";

const isRoot = process.getuid?.() === 0;
const NOBODY = 65_534;

let root: string;
let file: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "caret-drafts-"));
  file = join(root, "settings.json");
  writeFileSync(file, "{}");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

it("refuses to write over what another program has written since the file was read", () => {
  const drafts = new FileDrafts();
  drafts.write(file, '{"ours": 1}');
  writeFileSync(file, '{"theirs": 1}');
  expect(() => drafts.commit()).toThrow(`Another program has changed ${file} in the meantime`);
  expect(readFileSync(file, "utf8")).toBe('{"theirs": 1}');
});

it("refuses a file of another user, which would become this user's", () => {
  const someone = (process.getuid?.() ?? 0) + 1;
  expect(() => findTarget(file, someone).assertReplaceable()).toThrow(`${file} belongs to another user`);
});

it.runIf(isRoot)("leaves a file to its owner when root changes it", () => {
  chownSync(file, NOBODY, NOBODY);
  const drafts = new FileDrafts();
  drafts.write(file, '{"ours": 1}');
  drafts.commit();
  const { uid, gid } = statSync(file);
  expect([uid, gid, readFileSync(file, "utf8")]).toEqual([NOBODY, NOBODY, '{"ours": 1}']);
});
