import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { containCommand } from "../../process/containment.ts";
import { createInlineSpawner } from "../../process/spawner/create-spawner.ts";
import { readAll } from "../../process/testing/workbench.ts";
import type { AgentBelongings } from "../agent-mounts.ts";
import { createSandboxes } from "../create-sandboxes.ts";
import type { RequestedSandbox, Sandboxes } from "../sandboxes.ts";

/** Whether sandboxes can be tried here at all. */
export const hasBubblewrap = spawnSync("bwrap", ["--unshare-user", "--ro-bind", "/", "/", "true"]).status === 0;

/** A directory with a workspace and a home, and commands run in sandboxes of them. */
export interface SandboxBench {
  readonly directory: string;
  readonly home: string;
  readonly workspace: string;
  /** What `/bin/sh` prints, on both outputs, that runs this in a sandbox. */
  run(word: RequestedSandbox["word"], script: string, how?: RunOptions): Promise<string>;
  /** What there was to say of the sandboxes that were closed. */
  readonly said: readonly string[];
  /** For what goes on while a sandbox is open. */
  readonly sandboxes: Sandboxes;
  close(): Promise<void>;
}

interface RunOptions {
  readonly workspace?: string;
  readonly isReadOnly?: boolean;
  readonly sessionId?: string;
  /** Runs when all in the sandbox has ended, and before it is closed. */
  readonly beforeClose?: () => void;
  readonly agent?: AgentBelongings;
  readonly env?: Readonly<Record<string, string>>;
}

/** Its strict sandboxes reach the given hosts. */
export function createSandboxBench(hosts: readonly string[] = [], readable: readonly string[] = []): SandboxBench {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "sandbox-bench-")));
  const [workspace, home] = [join(directory, "workspace"), join(directory, "home")];
  for (const path of [workspace, home]) mkdirSync(path);
  const said: string[] = [];
  const spawner = createInlineSpawner();
  const plain = { PATH: "/usr/bin:/bin" };
  const sandboxes = createSandboxes({
    directory: join(directory, "sandboxes"),
    settings: {
      network: "proxy",
      hosts,
      git: "guarded",
      readable,
      memoryDirectoryBytes: 8 * 1024 * 1024,
      processes: 64,
      fileBytes: 1024 * 1024,
    },
    platform: process.platform,
    arch: process.arch,
    file: "/usr/bin/bwrap",
    spawner,
    env: plain,
    home,
    apart: [home],
    node: process.execPath,
  });
  return {
    directory,
    home,
    workspace,
    said,
    sandboxes,
    async run(word, script, { agent, env = {}, workspace: cwd = workspace, isReadOnly = false, ...options } = {}) {
      const place = { workspace: cwd, isReadOnly, isOurs: false, agent, programs: [], readable: [], sockets: [] };
      const requested = { word, sessionId: options.sessionId ?? "s", additions: {} };
      const sandbox = await sandboxes.open(requested, place);
      const command = { file: "/bin/sh", args: ["-c", script], cwd, env: { ...plain, ...env } };
      const walled = sandbox.enclose({ ...command, stdin: "closed" });
      const child = spawner.spawn(containCommand(walled, { kind: "none", why: "it is walled in" }));
      const printed = await readAll(child);
      await child.exit;
      options.beforeClose?.();
      said.push(...(await sandbox.close()));
      return printed + child.stderrTail();
    },
    async close() {
      await sandboxes.close();
      await spawner.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
