import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { recipes } from "@caret/protocol/recipes";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readTokenFile } from "../../tokens/token-file.ts";
import { type Tried, tryCommand } from "../testing/try-command.ts";
import { addConnectCommand } from "./connect.ts";

let directory: string;
beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "caret-connect-")));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function connect(...argv: readonly string[]): Promise<Tried> {
  const env = { CARET_DATA_DIR: directory };
  return tryCommand(addConnectCommand, ["connect", ...argv], { cwd: directory, env, stdin: "" });
}

it("prints a client's recipe with the gateway's address, and how to get a token", async () => {
  expect(await connect("claude-code", "--server-port", "4999")).toEqual({
    code: 0,
    stdout: [
      "Claude Code: Claude Code runs its own tools, in its own directory.",
      "",
      "In a terminal:",
      "",
      "export ANTHROPIC_BASE_URL=http://127.0.0.1:4999",
      "export ANTHROPIC_AUTH_TOKEN=<token>",
      "claude --model auto",
      "",
    ].join("\n"),
    stderr: [
      "caret: no gateway runs; this is where `caret serve` will listen",
      "caret: put a token in place of <token>: `caret connect claude-code --token claude-code`",
      "",
    ].join("\n"),
  });
});

it("asks for no token where the client starts Caret itself", async () => {
  const { stdout, stderr } = await connect("zed", "--server-port", "4999");
  expect([stdout.includes('"acp"'), stderr]).toEqual([
    true,
    "caret: no gateway runs; this is where `caret serve` will listen\n",
  ]);
});

it("makes a token for turns when asked to, and puts it into the recipe", async () => {
  const recipe = JSON.parse((await connect("codex", "--token", "my-codex", "--json")).stdout);
  const [made] = readTokenFile(directory);
  const token = /caret_[\w-]+/.exec(recipe.parts[1].text)?.[0] ?? "";
  expect({ name: made?.name, scopes: made?.scopes }).toEqual({ name: "my-codex", scopes: ["turns", "models"] });
  expect(recipe).toEqual(recipes({ url: "http://127.0.0.1:4141", token }).find(({ id }) => id === "codex"));
});

it("names the nearest client for one that it does not know, and makes no token for it", async () => {
  await expect(connect("opncode", "--token", "x")).rejects.toMatchObject({
    code: "invalid-request",
    fix: "Did you mean `caret connect opencode`?",
  });
  expect(readTokenFile(directory)).toEqual([]);
});
