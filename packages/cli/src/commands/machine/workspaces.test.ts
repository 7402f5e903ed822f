import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CaretError } from "@caret/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { tryCommand } from "../testing/try-command.ts";
import { addWorkspacesCommand } from "./workspaces.ts";

describe("caret workspaces", () => {
  let home: string;
  let project: string;
  beforeEach(() => {
    home = realpathSync(mkdtempSync(join(tmpdir(), "caret-workspaces-")));
    project = join(home, "code/project");
    mkdirSync(project, { recursive: true });
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  const run = async (...args: readonly string[]) =>
    await tryCommand(addWorkspacesCommand, ["workspaces", ...args], {
      cwd: home,
      env: { CARET_DATA_DIR: join(home, "data") },
    });
  const refused = async (...args: readonly string[]) =>
    await run(...args).then(
      () => "nothing",
      (reason: unknown) => CaretError.from(reason).message,
    );

  it("allows a directory, lists it and forgets it again", async () => {
    expect((await run("allow", "code/project")).stdout).toBe(`Turns may work in ${project}.\n`);
    await run("allow", project);
    expect(JSON.parse((await run("ls", "--json")).stdout)).toEqual([{ directory: project, from: "allow" }]);
    expect(statSync(join(home, "data/workspaces.json")).mode & 0o777).toBe(0o600);
    rmSync(project, { recursive: true });
    await run("forget", project);
    expect((await run("ls")).stdout).toBe("No directory is allowed yet. `caret workspaces allow` allows one.\n");
  });

  it("allows nothing that holds the home directory or Caret's own data", async () => {
    expect({
      home: await refused("allow", home),
      root: await refused("allow", "/"),
      missing: await refused("allow", "nowhere"),
    }).toEqual({
      home: `${home} holds your home directory`,
      root: "/ holds your home directory",
      missing: `The workspace ${join(home, "nowhere")} does not exist`,
    });
  });

  it("makes a sample project whose test fails until the agent mends it, and keeps what was changed", async () => {
    const sample = (await run("sample")).stdout.trim();
    expect(sample).toBe(join(home, "data/sample-project"));
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const test = () => execFileSync(process.execPath, ["--test"], { cwd: sample, env, stdio: "ignore" });
    expect(test).toThrow();
    execFileSync("sed", ["-i", "s/Hello \\(.*\\)`/Hello \\1!`/", "greet.js"], { cwd: sample });
    test();
    expect((await run("sample")).stdout.trim()).toBe(sample);
    test();
  });
});
