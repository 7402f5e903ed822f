import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text as readAll } from "node:stream/consumers";
import { isFullRun } from "@caret/runtime/testing/bar-size.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { root } from "./lint-planted.ts";

let home: string;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), "caret-pricing-"));
});
afterAll(() => rmSync(home, { recursive: true }));

const script = join(root, "scripts/check-pricing.ts");
/** With nothing on PATH that could be asked for models. */
const environment = () => ({ PATH: "/nowhere", HOME: home, CARET_LANE: "cli" });

/** As `npm run check:pricing` runs it. */
function checkPricing(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], {
    encoding: "utf8",
    env: environment(),
  });
  return { status, lines: stdout.split("\n").filter((line) => line !== "" && !line.includes("not listed:")), stderr };
}

it("compares the fixture's models and page with the table, offline", () => {
  expect(checkPricing("--fixture")).toEqual({
    status: 0,
    lines: [
      "models: 10 listed, 8 priced",
      "  no price: gpt-6.1-sol-high",
      "  no price: brand-new-1",
      "page: its prices are those of 2026-11-17",
    ],
    stderr: "",
  });
});

it.runIf(isFullRun())("keeps what a page says when asked to, and warns only when its amounts change", async () => {
  let text = "<b>$1.25</b>";
  const server = createServer((_, response) => response.end(text)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const args = ["--page", `http://127.0.0.1:${port}/`, "--markers", join(home, "markers.json"), "--keep"];
  const said = [await firstLine(args)];
  text = "<i>now</i> <b>$1.25</b>";
  said.push(await firstLine(args));
  text = "<b>$1.50</b>";
  said.push(await firstLine(args));
  server.close();
  expect(said).toEqual([
    "page: warning: nothing was kept of it yet",
    expect.stringMatching(/^page: its prices are those of \d{4}-\d\d-\d\d$/),
    expect.stringMatching(/^page: warning: its prices have changed since \d{4}-\d\d-\d\d$/),
  ]);
});

/** Beside this process, which serves the page. */
async function firstLine(args: readonly string[]): Promise<string | undefined> {
  const child = spawn(process.execPath, [script, ...args], { env: environment() });
  return (await readAll(child.stdout)).split("\n")[0];
}

it("ends with 1 and says what it could not read when neither the agent nor the page answers", () => {
  const { status, lines, stderr } = checkPricing("--page", "http://127.0.0.1:1/");
  expect({ status, lines }).toEqual({ status: 1, lines: [] });
  expect(stderr).toMatch(/^models could not be read: .+\npage could not be read: .+\n$/);
});
