import { readFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { GatewayHome } from "../clients/gateway-home.ts";
import { chatScenario, prompts } from "./chat-scenario.ts";
import { ChatStage, caretCommand } from "./chat-stage.ts";
import { hasTmux, TmuxTerminal } from "./tmux-terminal.ts";

let stage: ChatStage;
let terminal: TmuxTerminal;
beforeAll(async () => {
  stage = await ChatStage.open();
});
afterAll(() => stage.gateway.remove());
afterEach(() => terminal.close());

/** The shell has the terminal again. */
async function untilShell(): Promise<void> {
  await terminal.shows(/^at-shell\$$/m);
}

async function openChat(columns: number, options = "", env: Readonly<Record<string, string>> = {}): Promise<void> {
  terminal = await stage.terminal(columns, env);
  await terminal.enter(`clear; ${caretCommand} chat ${options}`);
  await terminal.shows("permission ");
}

async function leave(): Promise<void> {
  await terminal.press("C-d");
  await untilShell();
}

/** Whether the shell has its terminal back as it was: lines, echo, a cursor, no raw mode. */
async function assertRestored(): Promise<void> {
  await terminal.enter("clear; stty -a | tr ';' '\\n' | grep -oE -- '-?(icanon|echo|isig) ' | tr -d '\\n'; echo");
  await terminal.shows(/^isig icanon echo$/m);
  expect(await terminal.asks("#{cursor_flag} #{alternate_on}")).toBe("1 0");
}

/** The chat is what the shell of the pane has started. */
async function chatProcess(): Promise<number> {
  const pane = await terminal.asks("#{pane_pid}");
  return Number(readFileSync(`/proc/${pane}/task/${pane}/children`, "utf8"));
}

const linesOf = (screen: string): readonly string[] => screen.split("\n");

describe.runIf(hasTmux).each([60, 80, 200])("caret chat at %i columns", (columns) => {
  it("shows markdown, and nothing that an agent says steers the terminal", async () => {
    await openChat(columns);
    await terminal.enter(prompts.markdown);
    const screen = await terminal.shows("✓ completed");
    expect(screen).toContain("Beware red <U+202E>eman");
    expect(screen).toContain("│ Hello  │ 你好  │");
    expect(screen).toContain('```js\n  greet("Ada");\n```');
    expect(screen).toContain("- one\n- two\n");
    // No word is cut at the edge: the long line is there again when its lines are joined.
    const words = linesOf(screen).join(" ").replaceAll(/\s+/g, " ");
    expect(words).toContain("longer than any of the terminals is wide at sixty and at eighty columns, and is broken");
    expect(await terminal.asks("#{pane_title}")).not.toContain("owned");
    await leave();
    await assertRestored();
  });

  it("asks, takes a reason for no, shows a diff, and takes an answer in words of one's own", async () => {
    stage.writeGreeting();
    await openChat(columns);
    await terminal.enter(prompts.dangerous);
    await terminal.shows("Dangerous: ");
    await terminal.shows("then Enter");
    await terminal.enter("n keep the build");
    await terminal.shows("denied by a person: keep the build");
    await terminal.shows("Cleaned.");
    await terminal.enter(prompts.edit);
    const edited = await terminal.shows("Changed.");
    expect(edited).toContain('  -export const greet = "Hello";\n  +export const greet = "Good day";\n');
    await terminal.enter(prompts.question);
    await terminal.shows("2 = Blue");
    await terminal.enter("something greenish");
    await terminal.shows("> something greenish");
    await terminal.shows("A good choice.");
    await leave();
  });

  it("steers the turn by Enter, keeps a prompt for its end by Alt-Enter, and stops a turn by Esc", async () => {
    await openChat(columns);
    await terminal.enter(prompts.slow);
    await terminal.shows("read greet.js");
    await terminal.enter("only once is enough");
    await terminal.shows("> only once is enough");
    await terminal.type(prompts.question);
    await terminal.press("M-Enter");
    await terminal.shows(`1. after this turn: ${prompts.question}`);
    await terminal.shows("1 = Red");
    await terminal.press("Escape");
    const stopped = await terminal.shows("⊘ cancelled");
    expect(stopped).not.toContain("after this turn");
    await leave();
    expect(await terminal.screen()).toMatch(/^⊘ cancelled in /m);
  });

  it("shows a plan, and has it built", async () => {
    await openChat(columns, "--mode plan");
    await terminal.shows(/^plan mode · /m);
    await terminal.enter(prompts.plan);
    const planned = await terminal.shows("That is my plan.");
    expect(planned).toMatch(/¶ Plan: Warmth\n {2}One line\.\n\n {2}1\. Read greet\.js\n {2}2\. Change it\n/);
    await terminal.enter("/build");
    await terminal.shows("It is built.");
    await leave();
  });

  it("completes commands and files, remembers prompts, and has lists to choose from", async () => {
    await openChat(columns);
    await terminal.press("Up");
    await terminal.shows(/─\n.*\S.*\n─/);
    await terminal.press("C-u");
    await terminal.type("look at @gre");
    await terminal.shows("→ greet.js");
    await terminal.press("Tab");
    await terminal.shows("look at @greet.js");
    await terminal.press("C-u");
    await terminal.enter("/help");
    await terminal.shows("Ctrl-C twice, Ctrl-D");
    await terminal.type("/permis");
    await terminal.shows("→ /permission");
    await terminal.press("Tab");
    await terminal.enter("supervised");
    await terminal.shows(/permission supervised · /);
    await terminal.enter("/sessions");
    await terminal.shows(`→ ${prompts.plan}`);
    await terminal.press("Enter");
    await terminal.shows("It is built.");
    await terminal.enter("/fork");
    await terminal.shows(/The\s+first\s+one\s+stays\s+as\s+it\s+is/);
    await leave();
  });
});

describe.runIf(hasTmux)("caret chat without a gateway", () => {
  it("starts one of its own, and takes it and its turn along when it is left", async () => {
    const home = new GatewayHome(chatScenario);
    const env = { ...home.environment(), LANG: "C.UTF-8", CARET_LANE: "sim" };
    terminal = await TmuxTerminal.open({ cwd: home.workspace, columns: 80, env });
    await terminal.enter(`clear; ${caretCommand} chat '${prompts.command}'`);
    await terminal.shows("The agent wants to use exec");
    await terminal.press("C-c");
    await terminal.shows("Press Ctrl-C again to leave: the gateway of this chat ends, and stops the turn.");
    await terminal.press("C-c");
    await untilShell();
    await assertRestored();
    expect(home.agents()).toEqual([]);
    home.remove();
  });
});

describe.runIf(hasTmux)("the terminal of caret chat", () => {
  it("may change its width: the lines are broken again", async () => {
    await openChat(80);
    await terminal.enter(prompts.markdown);
    await terminal.shows("✓ completed");
    await terminal.resize(60, 50);
    const screen = await terminal.shows(/^─{60}$/m);
    expect(Math.max(...linesOf(screen).map((line) => line.length))).toBeLessThanOrEqual(60);
    await terminal.enter(prompts.edit);
    await terminal.shows("Changed.");
    await leave();
  });

  it("is the shell's while the chat is in the background, and the chat's again afterwards", async () => {
    await openChat(80);
    await terminal.press("C-z");
    await untilShell();
    await terminal.enter("echo between");
    await terminal.shows(/^between$/m);
    await terminal.enter("fg");
    await terminal.shows(/permission .*\/help$/);
    await terminal.enter(prompts.markdown);
    await terminal.shows("✓ completed");
    await leave();
    await assertRestored();
  });

  it("is as it was after a termination signal, and after an error that was not caught", async () => {
    await openChat(80);
    process.kill(await chatProcess(), "SIGTERM");
    await untilShell();
    await assertRestored();
    const crash = "process.on(`SIGUSR2`,()=>{throw(Error(`a-crash`))})";
    await terminal.enter(`clear; NODE_OPTIONS='--import=data:text/javascript,${crash}' ${caretCommand} chat`);
    await terminal.shows("permission ");
    process.kill(await chatProcess(), "SIGUSR2");
    await terminal.shows("Error: a-crash");
    await untilShell();
    await assertRestored();
  });

  it("shows no colour with NO_COLOR, and is never drawn on when it is dumb", async () => {
    await openChat(80, "", { NO_COLOR: "1" });
    await terminal.enter(prompts.edit);
    await terminal.shows("Changed.");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what is looked for are escape sequences.
    expect(await terminal.painted()).not.toMatch(/\x1b\[(?:3[0-7]|9[0-7]|38|[12])(?:;|m)/);
    await leave();
    await terminal.enter(`clear; TERM=dumb ${caretCommand} chat`);
    await terminal.shows("Say what you want done. /help lists the commands.\nAnswers are simulated,");
    await terminal.enter(prompts.command);
    await terminal.shows("then Enter");
    await terminal.enter("y");
    const screen = await terminal.shows("That was all.");
    expect(screen).toContain("✗ $ exec seq 1 12; exit 3");
    await leave();
  });

  it("joins a session that another client has started, and withdraws what was answered there", async () => {
    const id = await stage.startTurn(prompts.command);
    await stage.untilWaiting(id);
    terminal = await stage.terminal(80);
    await terminal.enter(`clear; ${caretCommand} attach ${id.slice(0, 8)}`);
    await terminal.shows("The agent wants to use exec");
    const { status } = await stage.client.getSession(id);
    const requestId = status.kind === "waiting" ? (status.approval?.requestId ?? "") : "";
    await stage.client.answerApproval(id, requestId, { decision: "rejected", reason: "elsewhere" });
    const screen = await terminal.shows("That was all.");
    expect(screen).toContain("denied by a person: elsewhere");
    expect(screen).not.toContain("The agent wants to use exec");
    await leave();
  });

  it("joins an agent by its name, and answers what it has written to a person", async () => {
    const { workspace } = stage.gateway.home;
    await stage.client.createAgent({ name: "bob", workspace, permission: "auto-edits", lane: "sim" });
    terminal = await stage.terminal(80);
    await terminal.enter(`clear; ${caretCommand} attach bob`);
    await terminal.shows("agent bob");
    await terminal.enter(prompts.human);
    await terminal.shows("bob asks you:\n  Which wall?\n");
    await terminal.enter("The north one");
    const screen = await terminal.shows("Painted.");
    expect(screen).not.toContain("bob asks you:");
    await leave();
  });

  it("shows the chat when nothing but caret is typed, after a first session", async () => {
    terminal = await stage.terminal(80);
    await terminal.enter(`clear; ${caretCommand}`);
    await terminal.shows("permission ");
    await leave();
  });

  it("goes on when the gateway was restarted meanwhile", async () => {
    await openChat(80);
    await stage.gateway.dieAndReturn();
    await terminal.enter(prompts.markdown);
    await terminal.shows("✓ completed");
    await leave();
  });

  it("says that the gateway is gone when it is killed amid a turn, ends the turn when it is back, and goes on", async () => {
    await openChat(80);
    await terminal.enter(prompts.command);
    await terminal.shows("The agent wants to use exec");
    await stage.gateway.dieAndReturn();
    await terminal.shows(/Caret stopped while this turn was running/);
    const screen = await terminal.shows("permission ");
    expect(screen).not.toContain("then Enter");
    await terminal.enter(prompts.markdown);
    await terminal.shows("✓ completed");
    await leave();
  });
});
