import { spawnSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { containCommand } from "../process/containment.ts";
import { createInlineSpawner } from "../process/spawner/create-spawner.ts";
import { readAll } from "../process/testing/workbench.ts";
import { createSandboxes, type MachineSandboxes } from "./create-sandboxes.ts";

const hasBubblewrap = spawnSync("bwrap", ["--unshare-user", "--ro-bind", "/", "/", "true"]).status === 0;
const directory = realpathSync(mkdtempSync(join(tmpdir(), "agent-mounts-")));
const [workspace, home, outside] = ["workspace", "home", "outside"].map((name) => join(directory, name)) as [
  string,
  string,
  string,
];
const configDir = join(home, ".cursor");
const spawner = createInlineSpawner();
let sandboxes: MachineSandboxes;

beforeAll(() => {
  for (const path of [workspace, configDir, outside]) mkdirSync(path, { recursive: true });
  writeFileSync(join(configDir, "auth.json"), "login");
  writeFileSync(join(configDir, "cli-config.json"), "settings");
  sandboxes = createSandboxes({
    directory: join(directory, "sandboxes"),
    settings: {
      network: "none",
      hosts: [],
      git: "guarded",
      readable: [],
      memoryDirectoryBytes: 8 * 1024 * 1024,
      processes: 64,
      fileBytes: 1024 * 1024,
    },
    platform: process.platform,
    arch: process.arch,
    file: "/usr/bin/bwrap",
    spawner,
    env: { PATH: "/usr/bin:/bin" },
    home,
    apart: [home],
    node: process.execPath,
  });
});
afterAll(async () => {
  await sandboxes.close();
  await spawner.close();
  rmSync(directory, { recursive: true, force: true });
});

async function run(script: string): Promise<string> {
  const agent = { home, configDir, dataDir: undefined, loginFiles: [join(configDir, "auth.json")] };
  const place = { workspace, isReadOnly: false, isOurs: false, agent, programs: [], readable: [], sockets: [] };
  const sandbox = await sandboxes.open({ word: "on", sessionId: "s", additions: {} }, place);
  const env = { PATH: "/usr/bin:/bin", C: configDir, OUT: outside };
  const command = { file: "/bin/sh", args: ["-c", script], cwd: workspace, env, stdin: "closed" } as const;
  const child = spawner.spawn(containCommand(sandbox.enclose(command), { kind: "none", why: "walled in" }));
  const printed = await readAll(child);
  await child.exit;
  await sandbox.close();
  return printed + child.stderrTail();
}

describe.skipIf(!hasBubblewrap)("the configuration directory of an agent in a sandbox", () => {
  it("has the login to read, a copy of the settings to change, and chats that last", async () => {
    expect(
      await run(
        'cd "$C"; cat auth.json cli-config.json; echo changed >cli-config.json; for d in chats/*; do echo said >$d/chat; done',
      ),
    ).toBe("loginsettings");
    expect(await run('cd "$C"; cat cli-config.json chats/*/chat')).toBe("settingssaid\n");
    expect(readFileSync(join(configDir, "cli-config.json"), "utf8")).toBe("settings");
  });

  it("keeps nothing of an earlier turn that a later one would mount over, or be led out by", async () => {
    const plant =
      'cd "$C"; rm -rf acp-sessions; ln -s /oldroot$OUT acp-sessions; ln -s /oldroot$OUT projects; echo x >hooks.json';
    await run(plant);
    const own = join(directory, "sandboxes", "sessions", "s", "config");
    rmSync(join(own, "chats"), { recursive: true });
    symlinkSync(`/oldroot${outside}`, join(own, "chats"));
    symlinkSync(`/oldroot${outside}/auth`, join(own, "auth.json.new"));
    expect(await run('cd "$C"; ls; cat auth.json chats/*/chat')).toBe(
      "acp-sessions\nauth.json\nchats\ncli-config.json\nloginsaid\n",
    );
    expect(readdirSync(outside)).toEqual([]);
  });
});
