import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { isFullRun } from "@caret/runtime/testing/bar-size.ts";
import type { ScenarioInput } from "@caret/simulator";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { caret } from "../clients/gateway-process.ts";
import { httpTransport, McpHost } from "../mcp/mcp-host.ts";
import { MortalGateway } from "../native/mortal-gateway.ts";

const offered = (name: string, args: Record<string, unknown>) => ({ tool: { server: "caret", name, args } });
const scenario: ScenarioInput = {
  turns: [
    { when: "then wait", steps: [offered("write", { path: "made.txt", content: "made\n" }), { hang: true }] },
    { when: "for ever", steps: [{ text: "Still here. " }, { hang: true }] },
    {
      when: "inside",
      steps: [{ tool: { name: "shell", args: { command: 'echo x >"$HOME/escaped"; echo made >made.txt' } } }],
    },
    {
      when: "a file",
      steps: [
        offered("write", { path: "made.txt", content: "made\n" }),
        offered("exec", { command: "rm -rf / --no-preserve-root" }),
        { text: "Made." },
        { usage: { inputTokens: 1200, outputTokens: 40 } },
      ],
    },
  ],
};
const hasBubblewrap = spawnSync("bwrap", ["--unshare-user", "--ro-bind", "/", "/", "true"]).status === 0;
const models = ["auto", "gpt-5.1", "gpt-5-mini"];

let gateway: MortalGateway;
let repository: string;
let count = 0;
beforeAll(async () => {
  gateway = await MortalGateway.start(scenario);
});
afterAll(() => gateway.remove());

function git(...args: readonly string[]): string {
  const identity = ["-c", "user.name=Ann", "-c", "user.email=ann@example.com"];
  return execFileSync("git", ["-C", repository, ...identity, ...args], { encoding: "utf8" }).trim();
}

beforeEach(() => {
  count += 1;
  repository = join(gateway.home.workspace, `repository-${count}`);
  mkdirSync(join(repository, "inside"), { recursive: true });
  git("init", "-q", "-b", "main");
  writeFileSync(join(repository, "inside", "a.txt"), "a\n");
  git("add", ".");
  git("commit", "-qm", "one");
});

const running: ChildProcess[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill("SIGKILL");
});

function compare(...args: readonly string[]) {
  const child = spawn(process.execPath, [caret, "compare", "--models", models.join(","), ...args], {
    cwd: join(repository, "inside"),
    env: { ...gateway.home.environment(), CARET_LANE: "sim" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.push(child);
  const exit = once(child, "exit").then(([code, signal]: (number | string | null)[]) => code ?? signal);
  return { child, stdout: text(child.stdout), stderr: text(child.stderr), exit };
}

/** Everything that a comparison makes, in the repository and in Caret's own directory. */
function leftovers() {
  const own = join(gateway.home.dataDir, "worktrees");
  const files = existsSync(own) ? readdirSync(own, { recursive: true }).map(String) : [];
  return {
    worktrees: git("worktree", "list", "--porcelain").match(/^worktree /gm)?.length,
    branches: git("branch", "--format=%(refname:short)").split("\n"),
    files: files.filter((file) => file !== ".comparisons"),
  };
}

function ignoreOutput(): void {
  writeFileSync(join(repository, ".gitignore"), "*.out\n");
  git("add", ".");
  git("commit", "-qm", "Ignore");
}

/** As the message about them says. */
function removeKept(): void {
  for (const [, path = ""] of git("worktree", "list", "--porcelain").matchAll(/^worktree (.*\/compare-.*)$/gm))
    git("worktree", "remove", "--force", path);
  for (const branch of leftovers().branches) if (branch !== "main") git("branch", "-D", branch);
}

const nothing = { worktrees: 1, branches: ["main"], files: [] };
const worktreesThere = () => leftovers().worktrees;

describe("caret compare", () => {
  it("ends with a table, the picked work merged, and no worktree", async () => {
    const { stdout, exit } = compare("--check", "test -f made.txt", "--pick", "gpt-5.1", "Make a file");
    const [lines, code] = [(await stdout).trimEnd().split("\n"), await exit];
    expect([code, lines.map((line) => line.split("\t").slice(0, 8))]).toEqual([
      0,
      [
        ["#", "model", "outcome", "check", "files", "+", "-", "cost"],
        ["1", "auto", "completed", "passed", "1", "1", "0", "$0.0017"],
        ["2", "gpt-5.1", "completed", "passed", "1", "1", "0", expect.stringMatching(/^\$/)],
        ["3", "gpt-5-mini", "completed", "passed", "1", "1", "0", expect.stringMatching(/^\$/)],
        [expect.stringMatching(/^Merged gpt-5.1 into main: 1 files, \w{12}; the worktrees are removed\.$/)],
      ],
    ]);
    expect({
      made: readFileSync(join(repository, "inside", "made.txt"), "utf8"),
      log: git("log", "--format=%s"),
      left: leftovers(),
    }).toEqual({ made: "made\n", log: "Do what was asked: Make a file\none", left: nothing });
  });

  it("picks no candidate with files that Git ignores, and deletes them with its worktree when it is told to", async () => {
    ignoreOutput();
    const client = gateway.client();
    const check = "echo result >check.out";
    const wanted = { prompt: "Make a file", models: models.slice(0, 2), workspace: join(repository, "inside"), check };
    const { id } = await client.startComparison(wanted);
    await expect.poll(async () => (await client.getComparison(id)).state, { timeout: 30_000 }).toBe("ready");
    await expect(client.pickCandidate(id, { candidate: "1" })).rejects.toMatchObject({
      code: "invalid-request",
      message: "Candidate 1 has files that no merge brings back: inside/check.out",
    });
    const refused = [worktreesThere(), git("log", "--format=%s")];
    await client.pickCandidate(id, { candidate: "1", force: true });
    expect([refused, git("log", "-1", "--format=%s"), leftovers()]).toEqual([
      [3, "Ignore\none"],
      "Do what was asked: Make a file",
      nothing,
    ]);
  }, 60_000);

  it.runIf(isFullRun())(
    "merges and removes no candidate that somebody has worked on since it was listed",
    async () => {
      const client = gateway.client();
      const wanted = { prompt: "Make a file", models: models.slice(0, 2), workspace: join(repository, "inside") };
      const { id } = await client.startComparison(wanted);
      await expect.poll(async () => (await client.getComparison(id)).state, { timeout: 30_000 }).toBe("ready");
      const made = (candidate: number) =>
        join(gateway.home.dataDir, "worktrees", `compare-${id}-${candidate}`, "inside", "made.txt");
      for (const candidate of [1, 2]) writeFileSync(made(candidate), "mine\n");
      await expect(client.pickCandidate(id, { candidate: "1" })).rejects.toMatchObject({
        code: "invalid-request",
        message: "Candidate 1 has changed since its files were listed",
      });
      const refused = [git("log", "--format=%s"), (await client.getComparison(id)).candidates[0]?.files?.[0]?.unified];
      const { candidates } = await client.pickCandidate(id, { candidate: "1" });
      expect([refused, git("show", "HEAD:inside/made.txt"), candidates.map(({ kept }) => kept?.files)]).toEqual([
        ["one", expect.stringContaining("+mine")],
        "mine",
        [undefined, ["inside/made.txt"]],
      ]);
      expect(readFileSync(made(2), "utf8")).toBe("mine\n");
      removeKept();
    },
    60_000,
  );

  it("keeps all work when the candidate that was named beforehand cannot be merged", async () => {
    writeFileSync(join(repository, "inside", "made.txt"), "mine\n");
    const { exit, stderr, stdout } = compare("--models", "auto,gpt-5.1", "--pick", "auto", "Make a file");
    const [code, failed, said] = [await exit, await stderr, (await stdout).trimEnd().split("\n").slice(-3)];
    const kept = leftovers();
    expect([code, failed, said, kept.worktrees]).toEqual([
      2,
      expect.stringContaining("Uncommitted changes are in the way: inside/made.txt"),
      [
        "Nothing was merged; these worktrees are kept:",
        expect.stringMatching(/^ {2}auto: .* has inside\/made\.txt$/),
        expect.stringMatching(/^ {2}gpt-5\.1: .* has inside\/made\.txt$/),
      ],
      3,
    ]);
    removeKept();
  }, 60_000);

  const leavingOutput = ["--check", "echo result >check.out", "--models", "auto,gpt-5.1", "--pick", "auto"];

  it("keeps a candidate with files that Git ignores when it is picked beforehand", async () => {
    ignoreOutput();
    const refused = compare(...leavingOutput, "Make a file");
    const [said, failed, code] = [await refused.stdout, await refused.stderr, await refused.exit];
    const lines = said.trimEnd().split("\n").slice(-3);
    const own = join(gateway.home.dataDir, "worktrees");
    expect([code, failed, lines, git("log", "--format=%s")]).toEqual([
      2,
      expect.stringContaining("Candidate 1 has files that no merge brings back: inside/check.out"),
      [
        "Nothing was merged; these worktrees are kept:",
        expect.stringMatching(
          new RegExp(`^ {2}auto: ${own}/compare-\\w+-1 has inside/made\\.txt, inside/check\\.out$`),
        ),
        expect.stringMatching(
          new RegExp(`^ {2}gpt-5\\.1: ${own}/compare-\\w+-2 has inside/made\\.txt, inside/check\\.out$`),
        ),
      ],
      "Ignore\none",
    ]);
    removeKept();
    expect(leftovers()).toEqual(nothing);
  }, 60_000);

  it.runIf(isFullRun())(
    "deletes a candidate's files that Git ignores with --force",
    async () => {
      ignoreOutput();
      const forced = compare("--force", ...leavingOutput, "Make a file");
      expect([await forced.exit, git("log", "-1", "--format=%s"), leftovers()]).toEqual([
        0,
        "Do what was asked: Make a file",
        nothing,
      ]);
    },
    60_000,
  );

  const endings = [
    [
      "the command was killed",
      async ({ child, exit }: ReturnType<typeof compare>) => {
        child.kill("SIGKILL");
        await exit;
      },
    ],
    [
      "Ctrl-C was pressed",
      async ({ child, exit }: ReturnType<typeof compare>) => {
        child.kill("SIGINT");
        await exit;
      },
    ],
    ["the gateway was killed", async () => await gateway.dieAndReturn()],
  ] as const;
  it.runIf(isFullRun()).each(endings)(
    "keeps what candidates have written when nobody has chosen: %s",
    async (_, end) => {
      const compared = compare("--models", "auto,gpt-5.1", "Make a file, then wait");
      const made = () => leftovers().files.filter((file) => file.endsWith("made.txt")).length;
      await expect.poll(made, { timeout: 30_000 }).toBe(2);
      await end(compared);
      // Its record goes when it is over.
      await expect
        .poll(() => readdirSync(join(gateway.home.dataDir, "worktrees", ".comparisons")), { timeout: 30_000 })
        .toEqual([]);
      expect([made(), worktreesThere(), leftovers().branches.length]).toEqual([2, 3, 3]);
      removeKept();
    },
    60_000,
  );

  it.runIf(hasBubblewrap && isFullRun())("confines its candidates when they have a sandbox", async () => {
    const { exit } = compare("--permission", "full", "--sandbox", "strict", "--pick", "auto", "Work inside");
    const hasEscaped = () => existsSync(join(gateway.home.directory, "escaped"));
    expect([await exit, hasEscaped(), existsSync(join(repository, "inside", "made.txt")), leftovers()]).toEqual([
      0,
      false,
      true,
      nothing,
    ]);
  });

  it.runIf(isFullRun())("refuses what a person would have to decide, and says how each check ended", async () => {
    const { stdout, exit } = compare("--check", "echo no; exit 3", "--json", "Make a file");
    const view = JSON.parse(await stdout) as { readonly candidates: readonly { readonly sessionId: string }[] };
    const log = await gateway.client().readLog(view.candidates[0]?.sessionId ?? "", { limit: 10_000 });
    const answers = log.events.flatMap(({ event }) =>
      event.type === "approval-answer" ? [`${event.decision} by ${event.by}`] : [],
    );
    expect([await exit, view, answers, leftovers()]).toEqual([
      0,
      expect.objectContaining({
        state: "dropped",
        candidates: models.map((model) =>
          expect.objectContaining({
            model,
            check: { exitCode: 3, output: "no\n", durationMs: expect.any(Number) },
            files: [expect.objectContaining({ path: "inside/made.txt", status: "added" })],
          }),
        ),
      }),
      ["approved by policy", "rejected by person"],
      nothing,
    ]);
  });

  it("leaves nothing behind after Ctrl-C", async () => {
    const { child, exit, stdout } = compare("Go on for ever");
    await expect.poll(worktreesThere).toBe(4);
    child.kill("SIGINT");
    expect([await exit, await stdout, leftovers(), gateway.home.agents()]).toEqual([
      130,
      "Nothing was merged; the worktrees are removed.\n",
      nothing,
      [],
    ]);
  });

  it.runIf(isFullRun())("is dropped by the gateway when the command was killed", async () => {
    const { child, exit } = compare("Go on for ever");
    await expect.poll(worktreesThere).toBe(4);
    child.kill("SIGKILL");
    await exit;
    await expect.poll(leftovers).toEqual(nothing);
  });

  it.runIf(isFullRun())("is cleaned up by the next gateway when the gateway was killed", async () => {
    compare("Go on for ever");
    await expect.poll(worktreesThere).toBe(4);
    await gateway.dieAndReturn();
    await expect.poll(leftovers).toEqual(nothing);
  });

  it.runIf(isFullRun())("needs two models, a repository and a candidate that exists", async () => {
    const one = compare("--models", "auto", "x");
    const unknown = compare("--pick", "nobody", "Make a file");
    const elsewhere = compare("--workspace", gateway.home.workspace, "x");
    const said = await Promise.all(
      [one, unknown, elsewhere].map(async ({ exit, stderr }) => [await exit, await stderr]),
    );
    expect(said).toEqual([
      [2, expect.stringContaining("At least two models are expected")],
      [2, expect.stringContaining("there is no candidate nobody")],
      [2, expect.stringContaining("is not in a Git repository")],
    ]);
    expect(leftovers()).toEqual(nothing);
  });
});

it.runIf(isFullRun())("the MCP tool `compare` gives a table and a handle, then a diff, then merges one", async () => {
  const host = await McpHost.connect(httpTransport(gateway.process));
  const compared = await host.client.callTool({
    name: "compare",
    arguments: { prompt: "Make a file", models, workspace: repository },
  });
  const { comparison, ...report } = compared.structuredContent as { readonly comparison: string };
  const goOn = async (more: object) =>
    (await host.client.callTool({ name: "compare", arguments: { comparison, ...more } })).structuredContent;
  expect([report, await goOn({ diff: "3" }), await goOn({ pick: "3" }), leftovers()]).toEqual([
    expect.objectContaining({
      state: "ready",
      candidates: models.map((model) =>
        expect.objectContaining({
          model,
          files: [{ path: "made.txt", status: "added", additions: 1, deletions: 0 }],
        }),
      ),
    }),
    { diff: expect.stringContaining("+made") },
    expect.objectContaining({ state: "picked" }),
    nothing,
  ]);
  await host.close();
});
