import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Trial, type Tried, tryCommand } from "../testing/try-command.ts";
import { addRunCommand } from "./run.ts";

let directory: string;
let workspace: string;
let env: Record<string, string>;

const append = 'printf x >> ran.txt; echo "it ran"';
const uses = (name: string, args: object) => ({ tool: { server: "caret", name, args } });

beforeAll(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "caret-run-asks-")));
  workspace = mkdtempSync(join(directory, "workspace-"));
  const scenario = join(directory, "scenario.json");
  const turns = [
    {
      when: "twice",
      steps: [uses("exec", { command: "touch a" }), uses("exec", { command: "touch a" }), { text: "Done." }],
    },
    {
      when: "both",
      steps: [
        { tools: ["one", "two"].map((name) => uses("exec", { command: `touch ${name}` }).tool) },
        { text: "Done." },
      ],
    },
    { when: "danger", steps: [uses("exec", { command: "rm -rf ./ran.txt" }), { text: "Done." }] },
    { when: "own tools", steps: [{ tool: { name: "shell", args: { command: "touch own" } } }, { text: "Done." }] },
    { when: "", steps: [uses("exec", { command: append }), { text: "Done." }] },
  ];
  writeFileSync(scenario, JSON.stringify({ turns }));
  env = {
    CARET_DATA_DIR: join(directory, "data"),
    CARET_LANE: "sim",
    CARET_SPAWNER_ENABLED: "false",
    CARET_SIM_SCENARIO: scenario,
    PATH: process.env["PATH"] ?? "",
    LANG: "C.UTF-8",
  };
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** At a terminal, where these lines are typed, each after what it answers was printed. */
function runTyping(prompt: string, typed: readonly string[]): Promise<Tried> {
  let count = 0;
  const watch: Trial["watch"] = (stdout, _signal, type) => {
    const prompts = stdout.split(/then Enter/).length - 1;
    const line = typed[count];
    if (line === undefined || prompts <= count) return;
    count += 1;
    type(line);
  };
  return tryCommand(addRunCommand, ["run", prompt], { cwd: workspace, env, isTerminal: true, watch });
}

const shown = ({ stdout }: Tried): string => stripVTControlCharacters(stdout);
const ran = (): string => readFileSync(join(workspace, "ran.txt"), "utf8");

describe("caret run in a terminal", () => {
  it("asks before a command runs, with the command and the reason, and takes y for once", async () => {
    const tried = await runTyping("Run it", ["sure", "y"]);
    expect([tried.code, ran(), tried.stderr]).toEqual([0, "x", ""]);
    expect(shown(tried)).toContain(`The agent wants to use exec\n  $ ${append}\n`);
    expect(shown(tried)).toContain("`auto-edits` asks about exec");
    expect(shown(tried)).toContain("Type y or n, or a, then Enter.");
    expect(shown(tried)).toContain("approved by a person");
  });

  it("takes n for no, and sends the agent the reason", async () => {
    const before = ran();
    const tried = await runTyping("Run it", ["n not today"]);
    expect([tried.code, ran()]).toEqual([0, before]);
    expect(shown(tried)).toContain("denied by a person: not today");
  });

  it("takes a for always: the same command is not asked about again in this turn", async () => {
    const tried = await runTyping("Do it twice", ["a"]);
    expect(shown(tried)).toContain("a = yes, and always in this turn: exactly `touch a`");
    expect(shown(tried).split("The agent wants to use").length - 1).toBe(1);
    expect(shown(tried)).toContain("approved by an earlier approval: You allowed exactly `touch a` for this session");
  });

  it("takes a second y, typed with the first one, for no answer to the approval that appears behind it", async () => {
    const early = "That was typed before this could be read. Type it again, then Enter.";
    // The agent makes both calls at once, but on a busy machine the second y may come before its approval: then it is no answer
    // to anything, and nothing is said. Either call may be asked about first.
    for (let said = "", tries = 0; !said.includes(early); tries += 1) {
      expect(tries).toBeLessThan(10);
      said = shown(await runTyping("Do both", ["y\ny", "n"]));
      const made = ["one", "two"].filter((name) => existsSync(join(workspace, name)));
      expect(made).toHaveLength(1);
      for (const name of made) rmSync(join(workspace, name));
    }
  });

  it("says of a dangerous command why, and allows it once at most", async () => {
    const tried = await runTyping("danger", ["a", "n"]);
    expect(shown(tried)).toContain("Dangerous: ");
    expect(shown(tried)).not.toContain("= always");
    expect(ran()).toBe("x");
  });

  it("shows what a command prints", async () => {
    expect(shown(await runTyping("Run it", ["y"]))).toContain("│ it ran\n");
  });

  it("stops the turn by Ctrl-C while it asks, and runs nothing", async () => {
    const before = ran();
    let hasStopped = false;
    const watch: Trial["watch"] = (stdout, signal) => {
      if (hasStopped || !stdout.includes("then Enter")) return;
      hasStopped = true;
      signal("SIGINT");
    };
    const tried = await tryCommand(addRunCommand, ["run", "Run it"], { cwd: workspace, env, isTerminal: true, watch });
    expect([tried.code, ran()]).toEqual([130, before]);
  });
});

describe("caret run without a terminal", () => {
  it("says what was not asked and how to allow it", async () => {
    const tried = await tryCommand(addRunCommand, ["run", "Use your own tools"], { cwd: workspace, env });
    expect(tried.stderr).toBe(
      "caret: 1 call was not run: nobody was asked. `caret run --force` allows what no rule denies; " +
        "a new session in a terminal, or on the page (`caret serve`), asks you.\n",
    );
  });
});
