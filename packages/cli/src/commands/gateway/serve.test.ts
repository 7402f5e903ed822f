import { existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { tryCommand } from "../testing/try-command.ts";
import { addServeCommand } from "./serve.ts";

it("stops with the program that started it, whose end closes standard input", async () => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "caret-serve-")));
  const { code, stdout } = await tryCommand(
    (program, host, done) => addServeCommand(program, host, done, undefined),
    ["serve", "--json", "--until-stdin-ends", "--port", "0", "--lane", "sim"],
    { cwd: home, env: { CARET_DATA_DIR: join(home, "data"), CARET_WARM_ENABLED: "false" }, stdin: "" },
  );
  expect([code, JSON.parse(stdout), existsSync(join(home, "data", "gateway.json"))]).toEqual([
    0,
    expect.objectContaining({ event: "ready" }),
    false,
  ]);
  rmSync(home, { recursive: true });
});
