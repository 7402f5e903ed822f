import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createSandboxBench, hasBubblewrap } from "./testing/sandbox-bench.ts";

const bench = createSandboxBench();
const { directory, home } = bench;
const [configDir, outside] = [join(home, ".cursor"), join(directory, "outside")];
for (const path of [configDir, outside]) mkdirSync(path);
writeFileSync(join(configDir, "auth.json"), "login");
writeFileSync(join(configDir, "cli-config.json"), "settings");
afterAll(() => bench.close());

function run(script: string): Promise<string> {
  const agent = { home, configDir, dataDir: undefined, loginFiles: [join(configDir, "auth.json")] };
  return bench.run("on", script, { agent, env: { C: configDir, OUT: outside } });
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
