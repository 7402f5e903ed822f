import { mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { toModelConfig } from "./list-models.ts";
import type { OpenCodeConfig, ToolContext } from "./open-code.ts";
import { addProviders } from "./providers.ts";
import { toolHooks } from "./tool-hooks.ts";
import { turnHeaders } from "./turn-headers.ts";

const gateway = { url: "http://127.0.0.1:4141", token: "secret" };
const models = { auto: { name: "Auto" } };
const ours = {
  npm: "@ai-sdk/openai-compatible",
  name: "Caret",
  options: { baseURL: "http://127.0.0.1:4141/v1", apiKey: "secret" },
  models,
};

describe("the provider", () => {
  it("is added to settings without one, and no default model with it", () => {
    const config: OpenCodeConfig = {};
    addProviders(config, gateway, models);
    expect(config).toEqual({ provider: { caret: ours } });
  });

  it("keeps what the user has set, and serves open-cursor's name to who comes from there", () => {
    const own = { auto: { name: "Mine" }, "gpt-5": { name: "GPT" } };
    const config: OpenCodeConfig = {
      model: "cursor-acp/auto",
      provider: {
        "cursor-acp": { name: "Cursor", options: { baseURL: "http://127.0.0.1:32124/v1", timeout: 9 }, models: own },
      },
    };
    addProviders(config, gateway, models);
    expect(config).toEqual({
      model: "cursor-acp/auto",
      provider: {
        caret: ours,
        "cursor-acp": { ...ours, name: "Cursor", options: { ...ours.options, timeout: 9 }, models: own },
      },
    });
  });

  it("has a variant for each of a family's models, by cursorModel", () => {
    const variants = [{ id: "gpt-5.5-high" }, { id: "gpt-5.5-high-fast" }, { id: "other" }];
    expect(
      toModelConfig({ id: "gpt-5.5", name: "GPT-5.5", variants, context_window: 272_000, cost: { input: 5 } }),
    ).toEqual({
      name: "GPT-5.5",
      limit: { context: 272_000, output: 8000 },
      cost: { input: 5 },
      variants: {
        high: { cursorModel: "gpt-5.5-high" },
        "high-fast": { cursorModel: "gpt-5.5-high-fast" },
        other: { cursorModel: "other" },
      },
    });
  });
});

describe("the headers of a turn", () => {
  it.each([
    [{}, true, { "x-caret-workspace": "/project" }],
    [{}, false, {}],
    [{ CURSOR_ACP_TOOL_LOOP_MODE: "opencode" }, false, { "x-caret-tools": "opencode" }],
    [
      { CURSOR_ACP_TOOL_LOOP_MODE: "proxy-exec" },
      false,
      { "x-caret-tools": "proxy-exec", "x-caret-workspace": "/project" },
    ],
    [{ CURSOR_ACP_TOOL_LOOP_MODE: " Off " }, false, { "x-caret-tools": "off", "x-caret-workspace": "/project" }],
  ])("say with %j, in a gateway of its own: %s, %j", (env, isOwn, headers) => {
    expect(turnHeaders({ env, directory: "/project", isOwn })).toEqual(headers);
  });
});

describe("the tools", () => {
  let directory: string;
  let asked: string[];
  let context: ToolContext;
  beforeEach(() => {
    directory = realpathSync(mkdtempSync(join(tmpdir(), "caret-opencode-")));
    asked = [];
    context = {
      directory,
      worktree: directory,
      abort: new AbortController().signal,
      ask: async ({ permission, patterns }) => void asked.push(`${permission} ${patterns.join(" ")}`),
    };
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  const call = (name: string, args: Readonly<Record<string, unknown>>): Promise<string> | undefined =>
    toolHooks("all")[name]?.execute(args, context);

  it("are those that OpenCode has not itself, unless all or none are asked for", () => {
    const missing = [
      "create_directory",
      "delete_file",
      "execute_command",
      "list_directory",
      "ls",
      "mkdir",
      "rm",
      "run_command",
      "shell",
      "stat",
    ];
    expect(Object.keys(toolHooks()).toSorted()).toEqual(missing);
    expect(Object.keys(toolHooks("all")).toSorted()).toEqual(
      [...missing, "bash", "edit", "glob", "grep", "read", "write"].toSorted(),
    );
    expect(toolHooks("none")).toEqual({});
  });

  it("work in the session's directory, and ask before they change anything", async () => {
    await call("mkdir", { path: "a/b" });
    await call("write", { path: "a/b/c.txt", content: "one\ntwo\n" });
    await call("edit", { path: "a/b/c.txt", old_string: "two", new_string: "$& three" });
    expect([
      await call("read", { path: "a/b/c.txt" }),
      await call("ls", { path: "a" }),
      await call("glob", { pattern: "**/*.txt" }),
    ]).toEqual(["one\n$& three\n", "b/", "a/b/c.txt"]);
    expect(await call("grep", { pattern: "^one" })).toBe("a/b/c.txt:1: one");
    expect(JSON.parse((await call("stat", { path: "a/b/c.txt" })) ?? "")).toEqual({
      kind: "file",
      size: 13,
      mode: (statSync(join(directory, "a/b/c.txt")).mode & 0o777).toString(8),
      modified: statSync(join(directory, "a/b/c.txt")).mtime.toISOString(),
    });
    await call("rm", { path: "a", recursive: true });
    expect(asked).toEqual(["edit a/b", "edit a/b/c.txt", "edit a/b/c.txt", "edit a"]);
  });

  it("ask for a directory outside of the project before they read or change anything there", async () => {
    const outside = mkdtempSync(join(tmpdir(), "caret-outside-"));
    const file = join(outside, "a.txt");
    writeFileSync(file, "one");
    const refusing = {
      ...context,
      worktree: "/",
      ask: ({ permission, patterns }: { readonly permission: string; readonly patterns: readonly string[] }) =>
        Promise.reject(new Error(`${permission} ${patterns}`)),
    };
    const calls = {
      ...{ read: { path: file }, write: { path: file, content: "" }, rm: { path: outside, recursive: true } },
      ...{ edit: { path: file, old_string: "one", new_string: "" }, ls: { path: outside }, stat: { path: file } },
      ...{ glob: { pattern: "*", path: outside }, grep: { pattern: "o", path: outside } },
    };
    const said = await Promise.all(
      Object.entries(calls).map(([name, args]) =>
        toolHooks("all")
          [name]?.execute(args, refusing)
          .catch((reason: Error) => [name, reason.message]),
      ),
    );
    const above = `external_directory ${join(outside, "..")}/*`;
    const inside = `external_directory ${outside}/*`;
    expect(Object.fromEntries(said as [string, string][])).toEqual({
      ...{ read: inside, write: inside, edit: inside, stat: inside, ls: inside, glob: inside, grep: inside },
      rm: above,
    });
    expect(readFileSync(file, "utf8")).toBe("one");
    rmSync(outside, { recursive: true });
  });

  it("keep what was written to a file while the user was asked about an edit of it", async () => {
    const file = join(directory, "shared.txt");
    writeFileSync(file, "one\n");
    const ask = async (): Promise<void> => writeFileSync(file, "one\nmine\n");
    await toolHooks("all")["edit"]?.execute(
      { path: "shared.txt", old_string: "one", new_string: "two" },
      { ...context, ask },
    );
    expect(readFileSync(file, "utf8")).toBe("two\nmine\n");
  });

  it.each([".", "..", "/"])("never remove %s, which holds the project", async (path) => {
    await expect(call("rm", { path, recursive: true })).rejects.toThrow("holds the project itself");
  });

  it("change nothing when the user says no", async () => {
    const file = join(directory, "kept.txt");
    writeFileSync(file, "kept");
    const refusing = { ...context, ask: () => Promise.reject(new Error("refused")) };
    await expect(toolHooks()["rm"]?.execute({ path: "kept.txt" }, refusing)).rejects.toThrow("refused");
    expect(readFileSync(file, "utf8")).toBe("kept");
  });

  it("do not edit a file in which the piece occurs twice, and check their arguments", async () => {
    writeFileSync(join(directory, "twice.txt"), "x x");
    await expect(call("edit", { path: "twice.txt", old_string: "x", new_string: "y" })).rejects.toThrow(
      "occurs 2 times",
    );
    await expect(call("read", { path: 7 })).rejects.toThrow();
  });
});
