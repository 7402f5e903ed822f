import { mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Tried, tryCommand } from "../testing/try-command.ts";
import { addModelsCommand } from "./models.ts";

let directory: string;
beforeAll(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "caret-models-")));
});
afterAll(() => rmSync(directory, { recursive: true }));

function models(argv: readonly string[]): Promise<Tried> {
  const env = {
    CARET_DATA_DIR: join(directory, "data"),
    CARET_LANE: "sim",
    PATH: process.env["PATH"] ?? "",
  };
  return tryCommand(addModelsCommand, ["models", ...argv], { cwd: directory, env });
}

it("lists the models of the simulator, families as one, and keeps the list", async () => {
  const { code, stdout, stderr } = await models([]);
  expect([code, stderr]).toEqual([0, "caret: these are the simulator's models\n"]);
  expect(stdout).toMatch(
    /^model\tname\tvariants\tin\tout\tcache read\tcache write\tlong prompt\tcontext\tpool\t\nauto\tAuto\t\t1.25\t6\t0.25\t1.25\t\t\tCursor Models\t\n[\s\S]*\ncomposer-2.5\tComposer 2.5\t2\t0.5\t2.5\t0.2\t0.5\t\t\tCursor Models\tdefault\n/,
  );
  expect(statSync(join(directory, "data", "models", "sim.json")).mode & 0o777).toBe(0o600);
});

it("asks the agent again only with --refresh", async () => {
  await models([]);
  const login = join(directory, "data", "simulator", "auth.json");
  writeFileSync(login, "{}");
  const kept = await models(["--json"]);
  expect(JSON.parse(kept.stdout)[0]).toMatchObject({ id: "auto" });
  await expect(models(["--refresh"])).rejects.toMatchObject({ code: "not-logged-in" });
  rmSync(login);
});

it("explains what a name means, and what it does not", async () => {
  expect((await models(["--explain", "caret/auto"])).stdout).toBe("caret/auto means auto\n");
  await expect(models(["--explain", "no-such-model"])).rejects.toMatchObject({ code: "model-unknown" });
});

it("says why ids are one family, what it runs by itself, and why others stand alone", async () => {
  const { families, direct } = JSON.parse((await models(["--explain", "--json"])).stdout);
  expect(families.find(({ id }: { readonly id: string }) => id === "composer-2.5")).toMatchObject({
    target: "composer-2.5",
    why: "2 ids with the base composer-2.5 that differ only in speed; by itself it means composer-2.5: the id without parameters",
    variants: [
      { variant: "default", id: "composer-2.5", isTarget: true, price: { input: 0.5 } },
      { variant: "fast", id: "composer-2.5-fast", isTarget: false, price: { input: 3, fast: true } },
    ],
  });
  expect(direct[0]).toMatchObject({ id: "auto", why: "no other id has the base auto", price: { input: 1.25 } });
  expect((await models(["--explain"])).stdout).toContain("\n- fast\tcomposer-2.5-fast\t3\t15\t0.5\t3\t\t\n");
});
