import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createWorkbench, foreignDescriptors, type Workbench } from "./testing/workbench.ts";

let bench: Workbench;

beforeEach(() => {
  bench = createWorkbench();
});
afterEach(() => bench.remove());

/** Runs a gateway under the limits that the shell sets, and returns the JSON it prints. */
async function gatewayUnder(limits: string, script: string): Promise<unknown> {
  const source = `import { createSpawner } from ${JSON.stringify(new URL("./spawner/create-spawner.ts", import.meta.url).href)};
    import { closeSync, openSync } from "node:fs";
    const command = ${JSON.stringify({ ...bench.sh(""), file: "/bin/ls", args: ["-l", "/proc/self/fd"] })};
    ${script}`;
  writeFileSync(bench.path("gateway.ts"), source);
  const args = ["-c", `${limits}; exec "$@"`, "sh", process.execPath, bench.path("gateway.ts")];
  const { stdout } = await promisify(execFile)("/bin/bash", args);
  return JSON.parse(stdout);
}

describe("a gateway in a poor place", () => {
  it("out of descriptors, refuses a child as a passing state and starts the next one when they are back", async () => {
    const answer = await gatewayUnder(
      "ulimit -n 100",
      `const spawner = createSpawner({ mode: "inline" });
      const files = [];
      try { for (;;) files.push(openSync("/dev/null")); } catch {}
      const refused = await spawner.spawn(command).exit;
      files.forEach(closeSync);
      const next = await spawner.spawn(command).exit;
      console.log(JSON.stringify({ refused: [refused.kind, refused.error?.code, refused.error?.retryable], next }));
      await spawner.close();`,
    );
    expect(answer).toEqual({
      refused: ["failed-to-start", "agent-unavailable", true],
      next: { kind: "exited", code: 0, signal: null },
    });
  });

  it.each(["inline", "process"])("born with a descriptor too many, hands it to no child (%s)", async (mode) => {
    const answer = await gatewayUnder(
      "exec 77</etc/hostname",
      `const spawner = createSpawner({ mode: "${mode}" });
      let seen = "";
      for await (const chunk of spawner.spawn(command).stdout) seen += chunk;
      console.log(JSON.stringify(seen));
      await spawner.close();`,
    );
    expect(foreignDescriptors(String(answer))).toEqual([]);
  });
});
