import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { approvalCard } from "@caret/cli/src/terminal/approval-card.ts";
import { chooseGlyphs } from "@caret/cli/src/terminal/glyphs.ts";
import { createTerminalStyle } from "@caret/cli/src/terminal/look.ts";
import { type AgentEventOf, approvalView, partLines } from "@caret/protocol";
import { barSize, isFullRun } from "@caret/runtime/testing/bar-size.ts";
import type { ScenarioInput } from "@caret/simulator";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { caretCommand } from "../chat/chat-stage.ts";
import { hasTmux, TmuxTerminal } from "../chat/tmux-terminal.ts";
import { MortalGateway } from "../native/mortal-gateway.ts";
import { type HostileCall, hostileCommands } from "./hostile-commands.ts";

type Request = AgentEventOf<"approval-request">;

const COLUMNS = 100;
const look = { style: createTerminalStyle(true), glyphs: chooseGlyphs(true), columns: COLUMNS };

const offered = (args: object) => ({ tool: { server: "caret", name: "exec", args: { ...args } } });
/** In a session of its own each is shown as it is; these few show that the chat draws a card whole. */
const drawn = hostileCommands(500)
  .filter(({ command }) => command.length < 600)
  .map(({ command }) => ({ command }))
  .slice(0, barSize({ quick: 8, full: 100 }));
const long: HostileCall = { command: Array.from({ length: 1_200 }, (_, line) => `echo line ${line}`).join("\n") };

const scenario: ScenarioInput = {
  turns: [
    { when: "hostile", steps: [...[...drawn, long].map(offered), { text: "That was all." }] },
    {
      when: "go on",
      steps: [
        { text: "Shall I go on?\n\n" },
        { delay: 1_500 },
        offered({ command: "echo x >pwned" }),
        { text: "Done." },
      ],
    },
  ],
};

const requestOf = (input: HostileCall): Request => ({
  type: "approval-request",
  requestId: "r",
  subject: "exec",
  input,
});

/** A terminal does not give back the spaces at the end of a row: that each is kept is tested where lines are broken. */
const spaceless = (line: string): string => line.replaceAll(/[\t ]+/g, "");

/** The lines of the one view. */
function wantedLines(input: HostileCall): readonly string[] {
  const { parts } = approvalView(requestOf(input));
  return parts.flatMap(partLines).map(spaceless);
}

/**
 * The lines of a card, put together again from the rows of the screen. A card names every joiner (`<U+200D>`); one that the screen
 * has as a character is tmux's own, left in a cell from the row that was drawn there before.
 */
function linesOf(rows: readonly string[]): readonly string[] {
  const lines: string[] = [];
  for (const row of rows.map((each) => each.replaceAll("\u200d", "")))
    if (/^ {2}…(?: |$)/.test(row)) lines.push((lines.pop() ?? "") + row.slice(4));
    else lines.push(row.slice(2));
  return lines.map(spaceless);
}

describe.runIf(hasTmux)("a terminal", () => {
  let gateway: MortalGateway;
  let terminal: TmuxTerminal;
  beforeAll(async () => {
    gateway = await MortalGateway.start(scenario);
  });
  afterAll(() => gateway.remove());
  afterEach(() => terminal.close());

  const open = async (history = 2_000): Promise<TmuxTerminal> =>
    await TmuxTerminal.open({
      ...{ cwd: gateway.home.workspace, columns: COLUMNS, history },
      env: { ...gateway.home.environment(), LANG: "C.UTF-8" },
    });

  it("shows each hostile command whole, line for line as the view has it", async () => {
    terminal = await open(100_000);
    const calls = hostileCommands(barSize({ quick: 200, full: 500 }));
    const cards = calls.map((call) => approvalCard(requestOf(call), look, "turn").body.slice(1));
    const file = join(gateway.home.directory, "cards");
    writeFileSync(file, cards.map((card) => `${card.join("\n")}\n----\n`).join(""));
    await terminal.enter(`clear; cat '${file}'; echo all-shown`);
    await terminal.shows(/^all-shown$/m);
    const printed = (await terminal.everything()).split("\n").map((row) => row.trimEnd());
    const from = printed.findIndex((row) => row.startsWith("  $ "));
    const shown = printed.slice(from).join("\n").split("\n----\n").slice(0, calls.length);
    for (const [index, call] of calls.entries()) {
      const rows = (shown[index] ?? "").split("\n");
      expect(linesOf(rows)).toEqual(wantedLines(call));
    }
  });

  /** Opens a chat, and sends a prompt. */
  const chat = async (prompt: string): Promise<void> => {
    terminal = await open();
    await terminal.enter(`clear; ${caretCommand} chat`);
    await terminal.shows("permission auto-edits");
    await terminal.enter(prompt);
  };
  const isThere = (): boolean => existsSync(join(gateway.home.workspace, "pwned"));

  it.runIf(isFullRun())(
    "shows in the chat what the view has, and a card of 1,200 lines part by part before it takes a yes",
    async () => {
      await chat("hostile");
      for (const call of drawn) {
        await expect.poll(async () => cardOn(await terminal.screen())).toEqual(wantedLines(call));
        await terminal.enter("n");
      }
      await terminal.shows("Part 1 of 3");
      const parts = [await terminal.everything()];
      await terminal.enter("y");
      await terminal.shows("There is more of it.");
      await terminal.press("C-u", "Enter");
      await terminal.shows("Part 2 of 3");
      parts.push(await terminal.everything());
      await terminal.press("Enter");
      await terminal.shows("> echo line 1199");
      await terminal.shows(KEYS);
      parts.push(await terminal.everything());
      const shown = new Set(
        parts
          .join("\n")
          .split("\n")
          .map((row) => row.trimEnd().slice(4)),
      );
      expect(long.command.split("\n").filter((line) => !shown.has(line))).toEqual([]);
      await terminal.enter("n");
      await terminal.shows("That was all.");
    },
  );

  it("takes no letter for a yes in the chat that was typed before its card, and gives it back to the prompt", async () => {
    await chat("go on");
    await terminal.shows("Shall I go on?");
    await terminal.type("y");
    await terminal.shows("$ echo x >pwned");
    await terminal.press("Enter");
    await terminal.shows(KEYS);
    await terminal.press("Enter");
    await terminal.shows("Type y or n");
    expect(isThere()).toBe(false);
    await terminal.enter("n");
    await terminal.shows("Done.");
    await terminal.shows(/^y$/m);
    expect(isThere()).toBe(false);
  });

  it("takes no letter for a yes in `caret run` that was typed before its card", async () => {
    terminal = await open();
    await terminal.enter(`clear; ${caretCommand} run 'go on'`);
    await terminal.shows("Shall I go on?");
    await terminal.type("y");
    await terminal.shows(KEYS);
    await terminal.press("Enter");
    await terminal.shows("Type y or n");
    expect(isThere()).toBe(false);
    await terminal.enter("n");
    await terminal.shows("Done.");
    expect(isThere()).toBe(false);
  });
});

const KEYS = /^ {2}y = yes, once {3}n = no/m;

/** The lines of the card that waits, once it can be answered, but for what the policy says about it. */
function cardOn(screen: string): readonly string[] {
  const rows = screen.split("\n");
  const from = rows.findLastIndex((row) => row.startsWith("? The agent wants to use exec"));
  const to = rows.findIndex((row, index) => index > from && /^ {2}[ay]\d? = yes, /.test(row));
  return linesOf(rows.slice(from + 1, to)).filter((line) => !/^(?:Dangerous|Whyitisasked):/.test(line));
}
