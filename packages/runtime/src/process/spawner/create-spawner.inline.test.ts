import { closeSync, fstatSync, openSync } from "node:fs";
import { devNull } from "node:os";
import { expect, it } from "vitest";
import { createInlineSpawner } from "./create-spawner.ts";
import { describeSpawner } from "./spawner.contract.ts";

describeSpawner("inline");

it("a spawner that is closed twice closes no descriptor of another file", async () => {
  const spawner = createInlineSpawner();
  await spawner.close();
  const next = openSync(devNull, "r");
  await spawner.close();
  expect(fstatSync(next).isCharacterDevice()).toBe(true);
  closeSync(next);
});
