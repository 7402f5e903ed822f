import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Secret } from "@caret/protocol";
import { createRedactor } from "@caret/runtime";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openPromptHistory } from "./prompt-history.ts";

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "caret-prompts-"));
});
afterEach(() => rmSync(dataDir, { recursive: true }));

const redactor = createRedactor({ secrets: [new Secret("a-key-of-the-user")] });
const open = (workspace: string) => openPromptHistory({ dataDir, workspace, redactor });

it("keeps prompts per workspace, newest last and none twice, without secrets, in files of mode 0600", () => {
  for (const prompt of ["first", "use a-key-of-the-user", "first"]) open("/a").add(prompt);
  open("/b").add("elsewhere");
  const directory = join(dataDir, "prompts");
  const modes = [directory, ...readdirSync(directory).map((name) => join(directory, name))].map(
    (path) => statSync(path).mode & 0o777,
  );
  expect({ a: open("/a").list(), b: open("/b").list(), modes }).toEqual({
    a: ["use [redacted]", "first"],
    b: ["elsewhere"],
    modes: [0o700, 0o600, 0o600],
  });
});

it("keeps the newest two hundred", () => {
  const history = open("/a");
  history.add("first");
  const [name = ""] = readdirSync(join(dataDir, "prompts"));
  const full = Array.from({ length: 200 }, (_, index) => `prompt ${index}`);
  writeFileSync(join(dataDir, "prompts", name), JSON.stringify(full));
  history.add("last");
  expect(history.list()).toEqual([...full.slice(1), "last"]);
});
