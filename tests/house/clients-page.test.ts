import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { claudeCode } from "../clients/loops/claude-code.ts";
import { cline } from "../clients/loops/cline.ts";
import { codex } from "../clients/loops/codex.ts";
import type { CodingClient } from "../clients/loops/coding-client.ts";
import { continueDev } from "../clients/loops/continue.ts";
import { droid } from "../clients/loops/droid.ts";
import { openClaws } from "../clients/loops/open-claw.ts";
import { openCodes } from "../clients/loops/open-code.ts";
import { pis } from "../clients/loops/pi.ts";
import { qwenCode } from "../clients/loops/qwen-code.ts";
import { root } from "./lint-planted.ts";

const page = readFileSync(`${root}/docs/clients.md`, "utf8");

/** The example under a heading, with what the reader fills in filled in. */
function exampleOf(heading: string): string {
  const [, section = ""] = page.split(`\n## ${heading}\n`);
  const [, example = ""] = /```\w+\n([\s\S]*?)```/.exec(section) ?? [];
  return example.replaceAll("http://127.0.0.1:4141", "URL").replaceAll("<token>", "TOKEN");
}

/** What a client is really run with by the tests of whole loops. */
function prepared(client: CodingClient | undefined) {
  const files: string[] = [];
  const repository = {
    keep(path: string, text: string) {
      files.push(text);
      return `/home/${path}`;
    },
  };
  const place = { url: "URL", token: "TOKEN", repository } as unknown as Parameters<CodingClient["prepare"]>[0];
  return { ...client?.prepare(place), setUp: client?.setUp?.(place) ?? [], file: files[0] ?? "" };
}

describe("the examples for clients are the settings that the tests run them with", () => {
  it("for Claude Code", () => {
    const { env } = prepared(claudeCode);
    const exported = [...exampleOf("Claude Code").matchAll(/export (\w+)=(\S+)/g)].map(([, name, value]) => [
      name,
      value,
    ]);
    expect(env).toMatchObject(Object.fromEntries(exported));
    expect(exported.length).toBe(2);
  });

  it("for Codex", () => {
    const { file, env } = prepared(codex);
    const lines = exampleOf("Codex")
      .split("\n")
      .filter((line) => line !== "");
    expect(lines.filter((line) => !file.includes(line))).toEqual([]);
    expect([lines.length, env?.["CARET_TOKEN"]]).toEqual([8, "TOKEN"]);
  });

  it.each([
    ["OpenCode", openCodes[0]],
    ["pi", pis[0]],
    ["Droid", droid],
    ["OpenClaw", openClaws[0]],
  ])("for %s", (heading, client) => {
    expect(JSON.parse(prepared(client).file)).toMatchObject(JSON.parse(exampleOf(heading)));
  });

  it("for Qwen Code", () => {
    const { env } = prepared(qwenCode);
    const exported = [...exampleOf("Qwen Code").matchAll(/export (\w+)=(\S+)/g)].map(([, name, value]) => [
      name,
      value,
    ]);
    expect(env).toEqual(Object.fromEntries(exported));
  });

  it("for Continue", () => {
    expect(prepared(continueDev).file).toBe(exampleOf("Continue"));
  });

  it("for Cline", () => {
    const { setUp } = prepared(cline);
    expect(exampleOf("Cline").split("\n")[0]).toBe(`cline ${setUp.flat().join(" ")}`);
  });
});

describe("clients §4: the page for clients", () => {
  const commands = [
    [claudeCode, "claude -p --model auto --allowedTools"],
    [codex, "codex exec"],
    [openCodes[0], "opencode run --model caret/auto"],
    [pis[0], "pi -p --provider caret --model auto"],
    [qwenCode, "qwen --auth-type openai -m auto -y"],
    [continueDev, "cn -p --auto --config"],
    [cline, "cline --auto-approve true -c"],
    [droid, "droid exec --auto high -m custom:auto"],
    [openClaws[0], "openclaw agent --local --agent main --session-id"],
  ] as const;

  it.each(commands.map(([client, command]) => [command, client] as const))(
    "gives the whole command for a script, as the tests run it: %s",
    (command, client) => {
      const run = `${client?.package.command} ${prepared(client).args?.join(" ")}`;
      expect({ isOnThePage: page.includes(`\`${command}`), isRun: run.startsWith(command) }).toEqual({
        isOnThePage: true,
        isRun: true,
      });
    },
  );
});
