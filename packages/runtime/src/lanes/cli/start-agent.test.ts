import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Spawner } from "../../process/child-handle.ts";
import { createInlineSpawner } from "../../process/spawner/create-spawner.ts";
import { createWorkbench, readAll, type Workbench } from "../../process/testing/workbench.ts";
import { holdStdin } from "./start-agent.ts";

let workbench: Workbench;
let spawner: Spawner;
beforeEach(() => {
  workbench = createWorkbench();
  spawner = createInlineSpawner({});
});
afterEach(async () => {
  await spawner.close();
  workbench.remove();
});

describe("the standard input of a program of one's own", () => {
  it("stays open for a program that answers its line", async () => {
    const child = spawner.spawn(workbench.sh("read -r turn; echo got $turn; read -r more; echo and $more", "held"));
    // Only a program silent for this long has its input ended, and this one may start slowly.
    holdStdin(child, "a turn\n", 60_000);
    await child.firstOutput;
    await child.writeStdin("a result\n");
    expect(await readAll(child)).toBe("got a turn\nand a result\n");
  });

  it("is ended for a program that reads it to its end before it answers", async () => {
    const child = spawner.spawn(workbench.sh("all=$(cat); echo got $all", "held"));
    holdStdin(child, "a turn\n", 50);
    expect(await readAll(child)).toBe("got a turn\n");
  });
});
