import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { caret as program } from "../clients/gateway-process.ts";
import { prompts } from "./chat-scenario.ts";
import { ChatStage, caretCommand } from "./chat-stage.ts";
import { hasTmux } from "./tmux-terminal.ts";

let stage: ChatStage;
beforeAll(async () => {
  stage = await ChatStage.open();
});
afterAll(() => stage.gateway.remove());

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command of Caret's, without a terminal. */
function type(...args: readonly string[]): Promise<Ended> {
  const { home } = stage.gateway;
  const where = { cwd: home.workspace, env: { ...home.environment(), LANG: "C.UTF-8" } };
  return new Promise((settle) => {
    const child = execFile(process.execPath, [program, ...args], where, (error, stdout, stderr) =>
      settle({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
    child.stdin?.end();
  });
}

/** The first picture of docs/terminal.md; `…` stands for anything on its line. */
function documentedScreen(): RegExp {
  const page = readFileSync(new URL("../../docs/terminal.md", import.meta.url), "utf8");
  const picture = /^```text\n([\s\S]*?)^```$/m.exec(page)?.[1] ?? "";
  const literal = picture.trimEnd().replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  return new RegExp(literal.replaceAll("…", ".*"));
}

describe.runIf(hasTmux)("caret chat in a terminal", () => {
  it("answers a prompt, asks about a command, shows its output when it fails, and leaves the terminal as it was", async () => {
    const terminal = await stage.terminal(80);
    try {
      await terminal.enter(`${caretCommand} chat`);
      await terminal.shows("permission auto-edits");
      await terminal.enter(prompts.command);
      await terminal.shows("y = yes, once");
      expect(await terminal.screen()).toMatch(documentedScreen());
      await terminal.enter("perhaps");
      await terminal.shows("Type y or n, or a, then Enter.");
      await terminal.press("C-u");
      await terminal.enter("y");
      const shown = await terminal.shows("That was all.");
      expect(shown).toMatch(/✗ \$ exec seq 1 12; exit 3 · exit 3.*\n {2}│ … 2 more lines: Ctrl-O\n {2}│ 3\n/);
      await terminal.press("C-c", "C-c");
      await terminal.shows(/Go on with this session: node \/[\w\s./-]+ -s[\w\s]+at-shell\$$/);
      await terminal.enter("stty -a | grep -c -- ' -icanon'");
      await terminal.shows(/^0$/m);
    } finally {
      await terminal.close();
    }
  });
});

describe.runIf(hasTmux)("the agent's own commands in caret chat", () => {
  it("are offered behind Caret's, and send the text of their file with what was typed behind the name", async () => {
    const { workspace } = stage.gateway.home;
    const commands = join(workspace, ".cursor", "commands");
    mkdirSync(commands, { recursive: true });
    writeFileSync(join(commands, "quiz.md"), `# Have a colour \u001b]0;owned\u0007chosen\n\n${prompts.question}.\n`);
    const terminal = await stage.terminal(100);
    try {
      await terminal.enter(`${caretCommand} chat`);
      await terminal.shows("permission auto-edits");
      // They are read while a person types: the list of the first keys may be without them.
      const offered = async (): Promise<string> => {
        await terminal.press("C-u");
        await terminal.type("/qu");
        return await terminal.screen();
      };
      await expect.poll(offered).toMatch(/\/queue .*\n.*\/quiz +Have a colour chosen \(of this workspace\)/);
      await terminal.type("iz now");
      await terminal.press("Enter");
      await terminal.shows("Which colour?");
      const [newest] = (await stage.client.listSessions({ limit: 1 })).sessions;
      const { events } = await stage.client.readLog(newest?.id ?? "", { after: 0 });
      const prompt = events.flatMap(({ event }) => (event.type === "turn-start" ? [event.prompt] : []));
      expect(prompt).toEqual([`# Have a colour \u001b]0;owned\u0007chosen\n\n${prompts.question}.\n\nnow`]);
      await terminal.press("Escape");
      await terminal.press("C-c", "C-c");
    } finally {
      await terminal.close();
      rmSync(join(workspace, ".cursor"), { recursive: true });
    }
  });
});

describe("what runs anywhere", () => {
  it("is listed, allowed and rejected by its id, and never unseen without --yes", async () => {
    const one = await stage.startTurn(prompts.command);
    const other = await stage.startTurn(prompts.dangerous);
    await stage.untilWaiting(one);
    await stage.untilWaiting(other);
    const listed = await type("approve");
    const unseen = await type("approve", one);
    const denied = await type("deny", other.slice(0, 10), "not", "today");
    const allowed = await type("approve", one, "--yes");
    const rows = listed.stdout.trimEnd().split("\n");
    expect({
      head: rows[0],
      waiting: rows.slice(1).map((row) => row.split("\t")[0]),
      codes: [unseen.code, denied.code, allowed.code],
      unseen: unseen.stderr.split("\n")[0],
      said: [denied.stdout, allowed.stdout],
      lines: [await stage.untilEnded(one), await stage.untilEnded(other)],
    }).toEqual({
      head: "id\tsince\tfor\tabout\ttitle",
      waiting: expect.arrayContaining([one.slice(0, 8), other.slice(0, 8)]),
      codes: [2, 0, 0],
      unseen: "caret: Nobody can be shown what would run: there is no terminal [invalid-request]",
      said: ["Rejected: Run rm -rf ./build\n", "Allowed: Run seq 1 12; exit 3\n"],
      lines: ["That was all.", "Cleaned."],
    });
  });

  it("is found by its id, although a page of newer sessions has that id in their titles", async () => {
    const { id } = await stage.client.createSession({ title: "Old" });
    await Promise.all(Array.from({ length: 100 }, () => stage.client.createSession({ title: `About ${id}` })));
    expect((await type("stop", id)).stderr.split("\n")[0]).toBe(`caret: No turn of ${id} runs: it is new [not-found]`);
  });

  it("is allowed unseen by a program only when it says so", async () => {
    const id = await stage.startTurn(prompts.command);
    await stage.untilWaiting(id);
    const unseen = await type("approve", id, "--json");
    const allowed = await type("approve", id, "--json", "--yes");
    expect([unseen.code, unseen.stdout, allowed.code, JSON.parse(allowed.stdout).sessionId]).toEqual([2, "", 0, id]);
    await stage.untilEnded(id);
  });

  it("is joined and stopped by its id; without a terminal the newest turn is printed whole and plain", async () => {
    const id = await stage.startTurn(prompts.endless);
    const joined = type("attach", id.slice(0, 12));
    await expect.poll(async () => (await stage.client.getSession(id)).status.kind).toBe("running");
    const stopped = await type("stop", id);
    const { code, stdout } = await joined;
    expect([stopped.stdout, code]).toEqual([`Stopped: ${prompts.endless}\n`, 130]);
    expect(stdout).toMatch(/^\n> Take all day\n· sim lane \(simulated\)[\s\S]*⊘ cancelled in /);
    expect(stdout).not.toContain("\u001b");
  });
});
