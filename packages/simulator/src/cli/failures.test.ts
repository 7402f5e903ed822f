import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { builtInModels } from "../config/model-catalogue.ts";
import { failures } from "../scenario/faults.ts";
import { failureNames } from "../scenario/step-shapes.ts";
import { parseLines, SimulatorSandbox, streamArgs } from "./testing/simulator-sandbox.ts";

let sandbox: SimulatorSandbox;
beforeEach(() => {
  sandbox = new SimulatorSandbox();
});
afterEach(() => sandbox.remove());

const loggedOut = { CARET_SIM_AUTH: "out" };
const authenticationRequired =
  "Error: Authentication required. Please run 'agent login' first, or set CURSOR_API_KEY environment variable.\n";
const badKey =
  "\u001b[33m⚠ Warning: The provided API key is invalid.\u001b[0m\nPlease check you have the right key and try again.\n";

describe("without credentials", () => {
  it("refuses before it looks at format, prompt or model", async () => {
    const args = ["-p", "--output-format", "no-such", "--model", "no-such"];
    expect(await sandbox.run(args, { env: loggedOut })).toEqual({
      code: 1,
      signal: null,
      stdout: "",
      stderr: authenticationRequired,
    });
  });

  it("has other words for the list of models", async () => {
    const { code, stderr } = await sandbox.run(["models"], { env: loggedOut });
    expect([code, stderr]).toEqual([
      1,
      "Error: Authentication required. Run 'agent login', pass --api-key/--auth-token, or set CURSOR_API_KEY/CURSOR_AUTH_TOKEN.\n",
    ]);
  });

  it.each(["", "bad-key"])("takes the key %j for invalid, even for a user who is logged in", async (key) => {
    const result = await sandbox.run([...streamArgs, "hi"], { env: { CURSOR_API_KEY: key } });
    expect(result).toEqual({ code: 1, signal: null, stdout: "", stderr: badKey });
  });

  it("is content with a good key", async () => {
    const env = { ...loggedOut, CURSOR_API_KEY: "key_good" };
    expect(await sandbox.run([...streamArgs, "hi"], { env })).toMatchObject({ code: 0, stderr: "" });
  });
});

describe("a workspace nobody has vouched for", () => {
  it("is refused with a banner that names it", async () => {
    expect(await sandbox.run(["-p", "hi"])).toEqual({
      code: 1,
      signal: null,
      stdout: "",
      stderr: `
⚠ Workspace Trust Required

  Cursor Agent can execute code and access files in this directory.
  Do you trust the contents of this directory?

    ${sandbox.workspace}

  To proceed, you can either:
    • Run 'agent' interactively to decide
    • Pass --trust, --yolo, or -f if you trust this directory

`,
    });
  });

  it("is trusted for good by --trust", async () => {
    expect(await sandbox.run(["-p", "--trust", "hi"])).toMatchObject({ code: 0 });
    expect(await sandbox.run(["-p", "hi"])).toMatchObject({ code: 0 });
    const slug = sandbox.workspace.replace(/[^A-Za-z0-9]+/g, "-").replace(/^-/, "");
    const marker = readFileSync(join(sandbox.configDir, "projects", slug, ".workspace-trusted"), "utf8");
    expect(JSON.parse(marker)).toMatchObject({ workspacePath: sandbox.workspace });
  });

  it.each(["-f", "--force", "--yolo"])("is passed once by %s, and not remembered", async (flag) => {
    expect(await sandbox.run(["-p", flag, "hi"])).toMatchObject({ code: 0 });
    expect(await sandbox.run(["-p", "hi"])).toMatchObject({ code: 1 });
  });
});

describe("a wrong command line", () => {
  it.each([
    [["--fork"], "error: unknown option '--fork'\n(Did you mean --force?)\n"],
    [["--modle", "x"], "error: unknown option '--modle'\n(Did you mean one of --mode, --model?)\n"],
    [["--model"], "error: option '--model <model>' argument missing\n"],
    [[...streamArgs], "Error: No prompt provided for print mode\n"],
    [
      [...streamArgs, "--resume", "not-a-uuid", "hi"],
      'Failed to claim persistent session for chat "not-a-uuid": Persistent-session chat ID must be a UUID\n',
    ],
  ])("%j fails in plain words", async (args, stderr) => {
    expect(await sandbox.run(args)).toEqual({ code: 1, signal: null, stdout: "", stderr });
  });

  it("names every model it has when asked for one it has not", async () => {
    const list = builtInModels.map(({ id }) => id).join(", ");
    expect(await sandbox.run([...streamArgs, "--model", "gpt-9", "hi"])).toEqual({
      code: 1,
      signal: null,
      stdout: "",
      stderr: `Cannot use this model: gpt-9. Available models: ${list}\n`,
    });
  });

  it("accepts every documented flag", async () => {
    const flags = [
      ...["-H", "A: b", "-H", "C: d", "--sandbox", "enabled", "--approve-mcps", "--add-dir", "/x", "--add-dir", "/y"],
      ...["--plugin-dir", "/p", "--auto-review", "-n", "name", "-e", "http://127.0.0.1:1", "-k", "--mode", "ask"],
      ...["--agent-endpoint", "http://127.0.0.1:1", "--exclude-tools", "shellToolCall", "--auth-token", "t"],
    ];
    expect(await sandbox.run([...streamArgs, ...flags, "--", "hi"])).toMatchObject({ code: 0, stderr: "" });
  });
});

describe("a refusal from upstream", () => {
  it.each([...failureNames])("%s is words on stderr and exit code 1, without any JSON", async (fail) => {
    const scenario = { turns: [[{ fail }]] };
    expect(await sandbox.run([...streamArgs, "hi"], { scenario })).toEqual({
      code: 1,
      signal: null,
      stdout: "",
      stderr: `${failures[fail]}\n`,
    });
  });
});

describe("a signal", () => {
  const scenario = { turns: [[{ text: "Started." }, { hang: true as const }]] };
  const args = [...streamArgs, "--stream-partial-output", "hi"];

  it.each([
    ["SIGINT", 130, "Aborting operation...\n"],
    ["SIGTERM", 143, ""],
  ] as const)("%s cuts the stream and exits with %i", async (signal, code, stderr) => {
    const running = sandbox.start(args, { scenario });
    await running.printed("Started.");
    running.child.kill(signal);
    const finished = await running.finished;
    expect([finished.code, finished.stderr]).toEqual([code, stderr]);
    expect(parseLines(finished.stdout).map(({ type }) => type)).toEqual(["system", "user", "assistant"]);
  });

  it("leaves the chat so that it can be resumed", async () => {
    const running = sandbox.start(args, { scenario });
    await running.printed("Started.");
    running.child.kill("SIGTERM");
    const [init] = parseLines((await running.finished).stdout);
    const next = { turns: [[{ text: "first" }], [{ text: "second" }]] };
    const events = await sandbox.turn("again", ["--resume", String(init?.["session_id"])], { scenario: next });
    expect(events.at(-1)).toMatchObject({ session_id: init?.["session_id"], result: "second" });
  });

  it("ends the command that a tool was running", async () => {
    const command = "echo $$ > pid; exec sleep 60";
    const shell = { turns: [[{ tool: { name: "shell", args: { command } } }]] };
    const running = sandbox.start([...args, "--force"], { scenario: shell });
    await running.printed('"started"');
    await expect.poll(() => existsSync(join(sandbox.workspace, "pid"))).toBe(true);
    await expect.poll(() => readFileSync(join(sandbox.workspace, "pid"), "utf8")).toMatch(/\d+\n/);
    const pid = readFileSync(join(sandbox.workspace, "pid"), "utf8").trim();
    running.child.kill("SIGTERM");
    expect(await running.finished).toMatchObject({ code: 143 });
    await expect.poll(() => isRunning(pid)).toBe(false);
  });
});

/** A zombie waits only to be buried. */
function isRunning(pid: string): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

describe("the configuration file", () => {
  it("is written on the first start", async () => {
    await sandbox.run(["models"]);
    const config = JSON.parse(readFileSync(join(sandbox.configDir, "cli-config.json"), "utf8"));
    expect(config).toMatchObject({
      version: 1,
      permissions: { allow: ["Shell(ls)"], deny: [] },
      approvalMode: "allowlist",
      model: { modelId: "composer-2.5-fast" },
    });
  });

  it("decides the model when --model is not given, and --model does not change it", async () => {
    mkdirSync(sandbox.configDir);
    writeFileSync(join(sandbox.configDir, "cli-config.json"), '{"model":{"modelId":"gpt-5.4"}}');
    const modelOf = async (args: readonly string[]) => (await sandbox.turn("hi", args))[0]?.["model"];
    expect([await modelOf([]), await modelOf(["--model", "auto"]), await modelOf([])]).toEqual([
      "GPT-5.4",
      "Auto",
      "GPT-5.4",
    ]);
  });

  it("is put aside and written again when it is broken", async () => {
    mkdirSync(sandbox.configDir);
    writeFileSync(join(sandbox.configDir, "cli-config.json"), "{broken");
    expect((await sandbox.turn("hi"))[0]).toMatchObject({ model: "Composer 2.5 Fast" });
    expect(readFileSync(join(sandbox.configDir, "cli-config.json.bad"), "utf8")).toBe("{broken");
  });
});
