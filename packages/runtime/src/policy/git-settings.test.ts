import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, expect, it } from "vitest";
import { createInlineSpawner } from "../process/spawner/create-spawner.ts";
import { judgeWithGit } from "./git-settings.ts";
import { createPolicy } from "./policy.ts";

const git = { spawner: createInlineSpawner(), env: { PATH: process.env["PATH"] } };
afterAll(() => git.spawner.close());

let workspace: string;
beforeEach(() => {
  workspace = realpathSync(mkdtempSync(join(tmpdir(), "settings-")));
  execFileSync("git", ["init", "-q", workspace]);
});
afterEach(() => rmSync(workspace, { recursive: true }));

const configure = (...words: readonly string[]): void =>
  void execFileSync("git", ["-C", workspace, "config", ...words], { stdio: "ignore" });

async function effectOf(path: string) {
  const policy = createPolicy({ mode: "auto", rules: [], workspace, attended: true, newRequestId: () => "r1" });
  const call = { tool: "write", kind: "write", input: { path, content: "" } } as const;
  return (await judgeWithGit(git, (answers) => policy.decide(call, answers))).effect;
}

it("does not hold the event loop while git waits for a FIFO that its configuration includes, and asks about the call", async () => {
  configure("include.path", "../pipe");
  execFileSync("mkfifo", [join(workspace, "pipe")]);
  const order: string[] = [];
  const judged = ["a.ts", "b.ts"].map(async (path) => order.push(await effectOf(path)));
  const served = new Promise((resolve) => setTimeout(resolve, 20)).then(() => order.push("another request"));
  await Promise.all([...judged, served]);
  expect(order).toEqual(["another request", "ask", "ask"]);
});

it("asks about a call when git reports an error instead of an answer", async () => {
  configure("include.path", "../broken");
  writeFileSync(join(workspace, "broken"), "[core\n");
  expect(await effectOf("a.ts")).toBe("ask");
});

it("asks git again when a file of its configuration has changed", async () => {
  configure("include.path", "../more");
  const effects = [await effectOf("hooks-1/x"), await effectOf("hooks-2/x")];
  for (const hooks of ["hooks-1", "hooks-2"]) {
    writeFileSync(join(workspace, "more"), `[core]\n\thooksPath = ${hooks}\n`);
    effects.push(await effectOf("hooks-1/x"), await effectOf("hooks-2/x"));
  }
  expect(effects).toEqual(["allow", "allow", "ask", "allow", "allow", "ask"]);
});

it("asks about a call that changes files of more repositories than git is asked about", async () => {
  const files = Array.from({ length: 20 }, (_, index) => join(`r${index}`, "a.ts"));
  for (const [index] of files.entries()) {
    mkdirSync(join(workspace, `r${index}`));
    execFileSync("git", ["init", "-q", join(workspace, `r${index}`)]);
  }
  const policy = createPolicy({ mode: "auto", rules: [], workspace, attended: true, newRequestId: () => "r1" });
  const decide = (paths: readonly string[]) =>
    judgeWithGit(git, (answers) => policy.decide({ tool: "write", kind: "write", input: { paths } }, answers));
  expect([(await decide(files.slice(0, 5))).effect, (await decide(files)).effect]).toEqual(["allow", "ask"]);
});

it("asks about a call when nobody has asked git", () => {
  const policy = createPolicy({ mode: "auto", rules: [], workspace, attended: true, newRequestId: () => "r1" });
  expect(policy.decide({ tool: "write", kind: "write", input: { path: "a.ts", content: "" } }).effect).toBe("ask");
});
