import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createChat } from "./create-chat.ts";
import { type CliBench, createCliBench } from "./testing/cli-bench.ts";

const id = "7c1d2f5e-0000-4000-8000-00000000abcd";

let bench: CliBench;
beforeEach(() => {
  bench = createCliBench();
});
afterEach(() => bench.close());

const noted = (): string => `sh -c 'echo $PPID' >> "${bench.workbench.path("pids")}"\n`;

function ask({ deadlineMs = 10_000, signal = new AbortController().signal } = {}): Promise<string | undefined> {
  return createChat({ host: bench.host(), workspace: bench.workspace, signal, deadlineMs });
}

describe("making a chat ahead of its first turn", () => {
  it("gives the id that the CLI prints", async () => {
    bench.agent(`echo "$@" > "${bench.workbench.path("args")}"\necho ${id}\n`);
    expect(await ask()).toBe(id);
  });

  it("does not wait for a CLI that prints the id and never leaves", async () => {
    bench.agent(`${noted()}echo "Created chat ${id}"\nexec sleep 600\n`);
    const startedAt = performance.now();
    expect(await ask()).toBe(id);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    expect([bench.workbench.noted(), bench.workbench.survivors()]).toEqual([1, []]);
  });

  it("gives up on a CLI that says nothing in good time, and ends it", async () => {
    bench.agent(`${noted()}exec sleep 600\n`);
    expect(await ask({ deadlineMs: 500 })).toBeUndefined();
    expect(bench.workbench.survivors()).toEqual([]);
  });

  it("gives up when it is aborted, also beforehand", async () => {
    bench.agent(`${noted()}exec sleep 600\n`);
    expect(await ask({ signal: AbortSignal.abort() })).toBeUndefined();
    expect(await ask({ signal: AbortSignal.timeout(200) })).toBeUndefined();
    expect(bench.workbench.survivors()).toEqual([]);
  });

  it("gives nothing when the CLI fails", async () => {
    bench.agent("echo 'Error: Authentication required.' >&2\nexit 1\n");
    expect(await ask()).toBeUndefined();
  });
});
