import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadPolicy } from "../policy/load-policy.ts";
import { createBackgroundShells } from "./background-shells.ts";
import { allCommands, parseShellCommand } from "./parse-shell-command.ts";
import { prepareCall } from "./prepare-call.ts";
import type { PreparedCall } from "./tool-run.ts";

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "shell-"));
  mkdirSync(join(root, ".cursor"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function shell(args: Record<string, unknown>, force = true): PreparedCall {
  return prepareCall(
    { name: "shell", args },
    {
      workspace: root,
      toolCallId: "call-1\nfc_1",
      mode: "agent",
      policy: loadPolicy({ configDir: root, workspace: root, force, mode: "agent" }),
      mcp: { tools: [], servers: [], call: () => Promise.reject(new Error("none")), close: () => Promise.resolve() },
      env: { PATH: process.env["PATH"], SECRET_OF_TEST: "x" },
      now: () => 5_000,
      turn: {
        conversationId: "chat-1",
        generationId: "turn-1",
        model: "auto",
        cursorVersion: "v",
        userEmail: null,
        transcriptPath: null,
        workspace: root,
      },
      outputDir: join(root, "agent-tools"),
      todos: { items: [] },
      shells: createBackgroundShells({ timeoutMs: undefined, signal: new AbortController().signal }),
      newId: () => "id",
    },
  );
}

function run(command: string, extra: Record<string, unknown> = {}, force = true) {
  return shell({ command, ...extra }, force).run(AbortSignal.timeout(20_000));
}

/** Group members still running; zombies nobody reaps do not count. */
function isRunning(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z");
  } catch {
    return false;
  }
}

describe("shell", () => {
  it("shows the whole of its wire arguments before it runs", () => {
    const { key, args, description } = shell({ command: "wc -l a.txt", description: "Count lines" });
    expect({ key, args, description }).toEqual({
      key: "shellToolCall",
      description: "Count lines",
      args: {
        command: "wc -l a.txt",
        workingDirectory: "",
        timeout: 30_000,
        toolCallId: "call-1\nfc_1",
        simpleCommands: ["wc"],
        hasInputRedirect: false,
        hasOutputRedirect: false,
        parsingResult: {
          parsingFailed: false,
          executableCommands: [
            {
              name: "wc",
              args: [
                { type: "word", value: "-l" },
                { type: "word", value: "a.txt" },
              ],
              fullText: "wc -l a.txt",
            },
          ],
          hasRedirects: false,
          hasCommandSubstitution: false,
          redirects: [],
        },
        fileOutputThresholdBytes: "40000",
        isBackground: false,
        skipApproval: false,
        timeoutBehavior: "TIMEOUT_BEHAVIOR_BACKGROUND",
        hardTimeout: 86_400_000,
        description: "Count lines",
        closeStdin: true,
        conversationId: "chat-1",
        adminCommandDenylist: [],
        requestId: "turn-1",
      },
    });
  });

  it("succeeds with both streams apart and in the order they came", async () => {
    expect(await run("echo out; sleep 0.1; echo err >&2; sleep 0.1; echo $CURSOR_CONVERSATION_ID")).toEqual({
      result: {
        success: {
          command: "echo out; sleep 0.1; echo err >&2; sleep 0.1; echo $CURSOR_CONVERSATION_ID",
          workingDirectory: "",
          exitCode: 0,
          signal: "",
          stdout: "out\nchat-1\n",
          stderr: "err\n",
          executionTime: 0,
          interleavedOutput: "out\nerr\nchat-1\n",
          localExecutionTimeMs: 0,
        },
        isBackground: false,
      },
      ok: true,
      output: "out\nerr\nchat-1\n",
    });
  });

  it("fails with the exit code of the command", async () => {
    expect(await run("echo no >&2; exit 3")).toMatchObject({
      result: { failure: { exitCode: 3, stderr: "no\n", aborted: false }, isBackground: false },
      ok: false,
      output: "no\n\nExit code: 3",
      keepsArgs: true,
    });
  });

  it("ends the command and all it started when time is up", async () => {
    const outcome = await run("sleep 60 & echo $! > pid; wait", { timeout: 300 });
    const pid = Number(readFileSync(join(root, "pid"), "utf8"));
    expect({ result: outcome.result, isRunning: isRunning(pid) }).toEqual({
      result: { timeout: { command: "sleep 60 & echo $! > pid; wait", workingDirectory: "", timeoutMs: 300 } },
      isRunning: false,
    });
  });

  it("dies with the signal", async () => {
    const controller = new AbortController();
    const running = shell({ command: "sleep 60" }).run(controller.signal);
    controller.abort();
    expect(await running).toMatchObject({
      result: { failure: { aborted: true, abortReason: "SHELL_ABORT_REASON_USER_ABORT", signal: "SIGKILL" } },
      ok: false,
    });
  });

  it("puts a long output into a file and keeps its two ends", async () => {
    const outcome = await run("i=0; while [ $i -lt 6000 ]; do echo line-$i; i=$((i+1)); done");
    const { outputLocation: location, ...success } = outcome.result["success"] as {
      outputLocation: { filePath: string; sizeBytes: string; lineCount: string };
      outputHead: string;
      outputTail: string;
      elidedChars: number;
    };
    const whole = readFileSync(location.filePath, "utf8");
    expect(location).toEqual({
      filePath: join(root, "agent-tools", "call-1-fc_1.txt"),
      sizeBytes: String(whole.length),
      lineCount: "6001",
    });
    expect({
      startsWithHead: whole.startsWith(success.outputHead),
      endsWithTail: whole.endsWith(success.outputTail),
    }).toEqual({ startsWithHead: true, endsWithTail: true });
    expect(success.elidedChars).toBe(whole.length - 20_000);
  });

  it("says that it could not start in a directory that is not there", async () => {
    expect(await run("true", { workingDirectory: "nowhere" })).toMatchObject({ result: { spawnError: {} }, ok: false });
  });

  it("runs ls without --force and rejects everything else without a reason", async () => {
    const rejected = { command: "echo hi", workingDirectory: root, reason: "", isReadonly: false };
    expect({ ok: (await run("ls", {}, false)).ok, result: (await run("echo hi", {}, false)).result }).toEqual({
      ok: true,
      result: { rejected },
    });
    expect(await run("ls; echo hi", {}, false)).toMatchObject({ result: { rejected: {} } });
    expect(await run("ls $(touch made)", {}, false)).toMatchObject({ result: { rejected: {} } });
  });

  it("obeys a deny rule even with --force", async () => {
    writeFileSync(join(root, ".cursor", "cli.json"), JSON.stringify({ permissions: { deny: ["Shell(rm)"] } }));
    expect(await run("echo $(rm -rf x)")).toMatchObject({
      result: { permissionDenied: { error: "Command blocked by permissions configuration", isReadonly: false } },
    });
  });

  it("is stopped by a beforeShellExecution hook, with the hook's words as the reason", async () => {
    const hooks = { beforeShellExecution: [{ command: 'echo \'{"permission":"deny","user_message":"no shell"}\'' }] };
    writeFileSync(join(root, ".cursor", "hooks.json"), JSON.stringify({ version: 1, hooks }));
    expect(await run("echo hi")).toMatchObject({
      result: {
        rejected: { reason: expect.stringContaining("was blocked by a hook: Hook blocked with message: no shell\n\n") },
      },
    });
  });
});

describe("parseShellCommand", () => {
  it.each([
    ["a && b || c; d | e & f", ["a", "b", "c", "d", "e", "f"]],
    ["FOO=1 BAR=2 make test", ["make test"]],
    ["echo 'a; b' \"c && d\"", ["echo 'a; b' \"c && d\""]],
    ["cat < in.txt > out.txt 2>&1", ["cat"]],
    ["echo $(whoami) `date`", ["echo $(whoami) `date`", "whoami", "date"]],
    ["", []],
  ])("sees every command in %s", (command, expected) => {
    expect(allCommands(command)).toEqual(expected);
  });

  it("names redirections and kinds of words", () => {
    expect(parseShellCommand('sort -n 5 "a b" <in >>out 2>&1')).toEqual({
      parsingFailed: false,
      executableCommands: [
        {
          name: "sort",
          args: [
            { type: "word", value: "-n" },
            { type: "number", value: "5" },
            { type: "string", value: '"a b"' },
          ],
          fullText: 'sort -n 5 "a b"',
        },
      ],
      hasRedirects: true,
      hasCommandSubstitution: false,
      redirects: [
        { operator: "<", destinationFds: [], targetNodeType: "word", targetText: "in" },
        { operator: ">>", destinationFds: [], targetNodeType: "word", targetText: "out" },
        { operator: ">&", destinationFds: [2], targetNodeType: "number", targetText: "1" },
      ],
    });
  });

  it("admits that it cannot parse an open quote", () => {
    expect(parseShellCommand("echo 'oops").parsingFailed).toBe(true);
  });
});
