import { mkdtempSync, realpathSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { addModelsCommand } from "./models.ts";
import { type Tried, tryCommand } from "./testing/try-command.ts";

let directory: string;
beforeAll(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "caret-models-")));
});
afterAll(() => rmSync(directory, { recursive: true }));

function models(argv: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Tried> {
  const base = { CARET_DATA_DIR: join(directory, "data"), CARET_LANE: "sim", PATH: process.env["PATH"] ?? "" };
  return tryCommand(addModelsCommand, ["models", ...argv], { cwd: directory, env: { ...base, ...env } });
}

it("lists the models of the simulator, families as one, and keeps the list", async () => {
  const { code, stdout, stderr } = await models([]);
  expect([code, stderr]).toEqual([0, "caret: these are the simulator's models\n"]);
  expect(stdout).toMatch(
    /^model\tname\tvariants\tin\tout\tpool\t\nauto\tAuto\t\t1.25\t6\tCursor Models\t\n[\s\S]*\ncomposer-2.5\tComposer 2.5\t2\t0.5\t2.5\tCursor Models\tdefault\n/,
  );
  expect(statSync(join(directory, "data", "models", "sim.json")).mode & 0o777).toBe(0o600);
});

it("asks the agent again only with --refresh", async () => {
  await models([]);
  const kept = await models(["--json"], { CARET_SIM_AUTH: "out" });
  expect(JSON.parse(kept.stdout)[0]).toMatchObject({ id: "auto" });
  await expect(models(["--refresh"], { CARET_SIM_AUTH: "out" })).rejects.toMatchObject({ code: "not-logged-in" });
});

it("explains what a name means, and what it does not", async () => {
  expect((await models(["--explain", "caret/auto"])).stdout).toBe("caret/auto means auto\n");
  await expect(models(["--explain", "no-such-model"])).rejects.toMatchObject({ code: "model-unknown" });
  const all = await models(["--explain"]);
  expect(all.stdout.split("\n").length).toBeGreaterThan((await models([])).stdout.split("\n").length);
});
