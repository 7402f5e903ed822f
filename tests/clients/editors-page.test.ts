import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AcpClient } from "./acp-client.ts";
import { GatewayHome } from "./gateway-home.ts";
import { caret } from "./gateway-process.ts";

const page = readFileSync(fileURLToPath(new URL("../../docs/editors.md", import.meta.url)), "utf8");

interface Settings {
  readonly agent_servers: {
    readonly Caret: {
      readonly command: string;
      readonly args: readonly string[];
      readonly env?: Record<string, string>;
    };
  };
}

/** The command of an editor's settings, as the page has them. */
function settingsOf(editor: string): Settings["agent_servers"]["Caret"] {
  const [, section = ""] = page.split(`\n## ${editor}\n`);
  const [, example = ""] = /```json\n([\s\S]*?)```/.exec(section) ?? [];
  return (JSON.parse(example) as Settings).agent_servers.Caret;
}

let home: GatewayHome;
beforeAll(() => {
  home = new GatewayHome();
  const bin = join(home.directory, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "caret"), `#!/bin/sh\nexec "${process.execPath}" "${caret}" "$@"\n`);
  chmodSync(join(bin, "caret"), 0o755);
});
afterAll(() => home.remove());

describe("docs/editors.md", () => {
  it.each(["Zed", "JetBrains"])("names a command that answers a prompt: %s", async (editor) => {
    const { command, args, env = {} } = settingsOf(editor);
    const path = `${join(home.directory, "bin")}:${home.environment()["PATH"]}`;
    const launch = { command, args, env: { ...env, PATH: path, CARET_LANE: "sim" } };
    const client = await AcpClient.start(home, { launch });
    const { sessionId } = await client.newSession(home.workspace);
    await client.prompt(sessionId, "What is 2 + 3?");
    expect([client.said(sessionId, "agent_message_chunk"), await client.stop()]).toEqual(["2 + 3 = 5", 0]);
  });

  it("has the same command for Neovim", () => {
    expect([...page.matchAll(/\{ "caret", "acp" \}|command = "caret", args = \{ "acp" \}/g)].length).toBe(2);
  });
});
