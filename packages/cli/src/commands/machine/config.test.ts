import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Tried, tryCommand } from "../testing/try-command.ts";
import { addConfigCommand } from "./config.ts";

let directory: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "caret-config-"));
  writeFileSync(join(directory, "caret.json"), '{ "model": "auto" }');
});

afterAll(() => rmSync(directory, { recursive: true, force: true }));

function config(argv: readonly string[], env: Record<string, string> = {}): Promise<Tried> {
  return tryCommand(addConfigCommand, ["config", ...argv], { cwd: directory, env });
}

describe("caret config", () => {
  it("prints each setting and who set it, and no secret", async () => {
    const env = { CARET_LANE: "sim", CARET_CLI_ENV: '{"TOKEN":"hush"}' };
    const { stdout } = await config(["print", "--json", "--clocks-idle-ms", "5000"], env);
    expect(JSON.parse(stdout)).toMatchObject({
      lane: { value: "sim", source: "CARET_LANE" },
      model: { value: "auto", source: join(directory, "caret.json") },
      "clocks.idleMs": { value: 5000, source: "--clocks-idle-ms" },
      "cli.command": { value: null, source: "default" },
      "cli.env": { value: { TOKEN: "[secret]" } },
    });
    expect((await config(["print"], env)).stdout).toMatch(/\nlane\t"sim"\tCARET_LANE\n/);
  });

  it("reads only the file that was named", async () => {
    const file = join(directory, "other.json");
    writeFileSync(file, '{ "model": "opus" }');
    const { stdout } = await config(["print", "--json", "--config", file]);
    expect(JSON.parse(stdout)).toMatchObject({ model: { value: "opus", source: file } });
    expect(JSON.parse((await config(["path", "--json", "--config", file])).stdout)).toEqual([
      { path: file, role: "named", exists: true },
    ]);
  });

  it("lists where it looks", async () => {
    expect(JSON.parse((await config(["path", "--json"])).stdout)).toEqual([
      { path: join(directory, "caret.json"), role: "project", exists: true },
      { path: join(directory, ".config", "caret", "caret.json"), role: "user", exists: false },
    ]);
  });

  it("ends with 2 and names everything that is wrong", async () => {
    const { code, stdout } = await config(["validate"], { CARET_LANE: "moon", CARET_LAEN: "sim" });
    expect(code).toBe(2);
    expect(stdout).toMatch(/^CARET_LAEN: .*CARET_LANE\?\nCARET_LANE: .*\n$/);
    expect(await config(["validate"])).toEqual({ code: 0, stdout: "The configuration is valid.\n", stderr: "" });
  });

  it("prints a JSON Schema", async () => {
    expect(JSON.parse((await config(["schema"])).stdout)).toMatchObject({ title: "Caret's configuration" });
  });

  it("goes on after a variable that is no setting, says so once, and names the nearest that is", async () => {
    const env = { CARET_LANE: "sim", CARET_MDOEL: "m", CARET_GARDEN_GNOME: "secret-gnome" };
    const { code, stdout, stderr } = await config(["print"], env);
    expect({ code, isPrinted: stdout.includes("lane"), stderr: stderr.split("\n").toSorted() }).toEqual({
      code: 0,
      isPrinted: true,
      stderr: [
        "",
        "caret: CARET_GARDEN_GNOME: unknown variable",
        "caret: CARET_MDOEL: unknown variable; did you mean CARET_MODEL?",
      ],
    });
    expect((await config(["validate"], env)).code).toBe(2);
  });
});
