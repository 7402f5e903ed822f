import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { agentEventSchema, assertWellFormedTurn } from "@caret/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addSessionsCommand } from "../sessions/sessions.ts";
import { type Trial, type Tried, tryCommand } from "../testing/try-command.ts";
import { addRunCommand } from "./run.ts";

let directory: string;
let workspace: string;
let env: Record<string, string>;

beforeAll(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "caret-run-")));
  workspace = mkdtempSync(join(directory, "workspace-"));
  writeFileSync(join(workspace, "note.txt"), "hello from the note\n");
  env = {
    CARET_DATA_DIR: join(directory, "data"),
    CARET_LANE: "sim",
    CARET_SPAWNER_ENABLED: "false",
    PATH: process.env["PATH"] ?? "",
  };
});

afterAll(() => rmSync(directory, { recursive: true, force: true }));

function run(argv: readonly string[], trial: Partial<Trial> = {}): Promise<Tried> {
  return tryCommand(addRunCommand, ["run", ...argv], { cwd: workspace, env, ...trial });
}

const sessionOf = (text: string) => /session ([0-9a-f-]{36})/.exec(text)?.[1] ?? "";
const eventsOf = ({ stdout }: Tried) =>
  stdout
    .trimEnd()
    .split("\n")
    .map((line) => agentEventSchema.parse(JSON.parse(line)));

describe("caret run", () => {
  it("shows a turn and ends with 0", async () => {
    const { code, stdout, stderr } = await run(["read", "note.txt"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^· sim lane \(simulated\) · auto\n\n/);
    expect(stdout).toMatch(/\n✓ ← read note\.txt · /);
    expect(stdout).toContain("\nhello from the note\n");
    expect(stdout).toMatch(/\n✓ completed in .* in .*· .* out.*\n {2}session [0-9a-f-]{36}\n$/);
  });

  it("lets Caret run the tools where the settings say so, by its policy", async () => {
    const owned = { ...env, CARET_TOOLS_OWNER: "gateway" };
    const events = eventsOf(await run(["--json", "read", "note.txt"], { env: owned }));
    const calls = events.flatMap((event) => (event.type === "tool-call" ? [[event.name, event.owner]] : []));
    const results = events.flatMap((event) => (event.type === "tool-result" ? [event.output] : []));
    expect([calls, results, events.at(-1)]).toEqual([
      [["read", "gateway"]],
      ["hello from the note"],
      { type: "turn-end", outcome: { kind: "completed" } },
    ]);
  });

  it("says that the api lane is unofficial, and that it has no login", async () => {
    const tried = await run(["--json", "--lane", "api", "hi"], {
      env: { ...env, CURSOR_AGENT_URL: "http://127.0.0.1:9" },
    });
    expect(tried.stderr).toContain("The api lane is unofficial");
    expect(eventsOf(tried).at(-1)).toMatchObject({ outcome: { error: { code: "not-logged-in" } } });
  });

  it("prints one event a line with --json, the end last, and the session on standard error", async () => {
    const tried = await run(["--json", "hi"]);
    const events = eventsOf(tried);
    assertWellFormedTurn(events);
    expect(tried.code).toBe(0);
    expect(events[0]).toMatchObject({ type: "turn-start", lane: "sim", prompt: "hi", workspace });
    expect(events.at(-1)).toEqual({ type: "turn-end", outcome: { kind: "completed" } });
    expect(tried.stderr).toMatch(/^caret: session [0-9a-f-]{36}\n$/);
  });

  it("defects 14: says that rules do not bind the agent's own tools", async () => {
    const rules = JSON.stringify([{ effect: "deny", command: "rm" }]);
    const { stderr } = await run(["--json", "hi"], { env: { ...env, CARET_TOOLS_RULES: rules } });
    expect(stderr.split("\n").slice(1)).toEqual([
      "caret: tools.rules cannot be enforced on tools that an agent or a client runs by itself: they bind the gateway's tools only",
      "",
    ]);
  });

  it("prints the answer and nothing else with --quiet", async () => {
    expect(await run(["-q", "what is 2+2?"])).toEqual({ code: 0, stdout: "2+2 = 4\n", stderr: "" });
  });

  it("prints what was said, secrets included, and keeps it without them", async () => {
    const scenario = join(directory, "secrets.json");
    const line = 'const token = "abc12345xyz";';
    writeFileSync(scenario, JSON.stringify({ turns: [[{ text: line }]] }));
    const { stdout } = await run(["the line"], { env: { ...env, CARET_SIM_SCENARIO: scenario } });
    const exporting = ["sessions", "export", sessionOf(stdout)];
    const kept = await tryCommand(addSessionsCommand, exporting, { cwd: workspace, env });
    expect({
      isPrinted: stdout.includes(line),
      isKept: kept.stdout.includes("abc12345xyz"),
      isKeptWithout: kept.stdout.includes('const token = \\"[redacted]\\";'),
    }).toEqual({ isPrinted: true, isKept: false, isKeptWithout: true });
  });

  it("prints the plan of a turn that only plans, also with --quiet", async () => {
    const shown = await run(["--mode", "plan", "Add a login page"]);
    const quiet = await run(["-q", "--mode", "plan", "Add a login page"]);
    expect({ shown: shown.stdout, quiet: quiet.stdout }).toEqual({
      shown: expect.stringMatching(/Plan: .*\n[\s\S]*login page/i),
      quiet: expect.stringMatching(/login page/i),
    });
  });

  it("goes on with a session by the beginning of its id, and with the newest of the workspace", async () => {
    const first = sessionOf((await run(["hi"])).stdout);
    expect(sessionOf((await run(["--session", first.slice(0, 10), "again"])).stdout)).toBe(first);
    expect(sessionOf((await run(["--continue", "and again"])).stdout)).toBe(first);
    const shown = await tryCommand(addSessionsCommand, ["sessions", "show", first, "--json"], { cwd: workspace, env });
    expect(JSON.parse(shown.stdout).turns.map(({ prompt }: { prompt: string }) => prompt)).toEqual([
      "hi",
      "again",
      "and again",
    ]);
  });

  it("takes the prompt from words, a file and a pipe, in this order", async () => {
    const file = join(directory, "prompt.txt");
    writeFileSync(file, "\ufefffrom a file\n");
    const tried = await run(["--json", "--file", file, "two", "words"], { stdin: "piped\n" });
    expect(eventsOf(tried)[0]).toMatchObject({ prompt: "two words\n\nfrom a file\n\npiped" });
    expect(eventsOf(await run(["--json", "-"], { stdin: "only piped\n" }))[0]).toMatchObject({ prompt: "only piped" });
  });

  it.each([
    ["an empty prompt", ["  "], "\n"],
    ["a NUL in the prompt", [], "a\0b"],
    ["a file that is not there", ["--file", "/nowhere/at/all"], ""],
  ])("refuses %s", async (_, argv, stdin) => {
    await expect(run(argv, { stdin })).rejects.toMatchObject({ code: "invalid-request" });
  });

  it("ends the events with the reason when the turn cannot even start", async () => {
    let stdout = "";
    const watch = (text: string): void => {
      stdout = text;
    };
    await expect(run(["--json", "--session", "ffffffff", "hi"], { watch })).rejects.toMatchObject({
      code: "session-not-found",
    });
    expect(JSON.parse(stdout)).toMatchObject({
      type: "turn-end",
      outcome: { kind: "failed", error: { code: "session-not-found" } },
    });
  });

  it("has nothing to continue in a workspace without sessions", async () => {
    const cwd = mkdtempSync(join(directory, "empty-"));
    await expect(run(["--continue", "hi"], { cwd })).rejects.toMatchObject({ code: "session-not-found" });
  });

  it("ends with 1 and the upstream's words when the turn fails", async () => {
    const failing = scenario({ turns: [[{ text: "Half an answer" }, { fail: "usage-limit" }]] });
    const { code, stdout } = await run(["hi"], { env: { ...env, ...failing } });
    expect(code).toBe(1);
    expect(stdout).toMatch(/\nHalf an answer\n\n.*\[usage-limit\]\n {2}│ .*\n {2}→ .*\n✗ failed in /);
  });

  it.each(["SIGINT", "SIGTERM"] as const)(
    "cancels at %s, says that the session is kept, and ends with 130",
    async (name) => {
      let isSent = false;
      const hanging = scenario({ turns: [[{ text: "Working on it.\n" }, { hang: true }]] });
      const { code, stdout } = await run(["hi"], {
        env: { ...env, ...hanging },
        watch(text, signal) {
          if (isSent || !text.includes("Working on it.")) return;
          isSent = true;
          signal(name);
        },
      });
      expect(code).toBe(130);
      expect(stdout).toContain("The session is kept");
      expect(stdout).toMatch(/\n⊘ cancelled in /);
    },
  );

  it("colours the output only when it is forced to, outside a terminal", async () => {
    expect((await run(["hi"], { env: { ...env, FORCE_COLOR: "1" } })).stdout).toContain("\x1b[");
    expect((await run(["hi"], { env: { ...env, FORCE_COLOR: "0" } })).stdout).not.toContain("\x1b[");
  });
});

function scenario(value: unknown): Record<string, string> {
  const file = join(mkdtempSync(join(directory, "scenario-")), "scenario.json");
  writeFileSync(file, JSON.stringify(value));
  return { CARET_CLI_ENV: JSON.stringify({ CARET_SIM_SCENARIO: file }) };
}
