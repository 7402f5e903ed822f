import type { ToolActivity } from "@caret/protocol";
import { expect, it } from "vitest";
import { createCommandOutput } from "./command-output.ts";
import { chooseGlyphs } from "./glyphs.ts";
import { createTerminalStyle } from "./look.ts";

const open = (isLive: boolean) =>
  createCommandOutput({ style: createTerminalStyle(false), glyphs: chooseGlyphs(true), columns: () => 40, isLive });
const printed = (text: string) => ({ type: "tool-output", callId: "c", text }) as const;
const failed = (output: string) =>
  ({ callId: "c", name: "exec", kind: "shell", status: "error", exitCode: 3, output }) as ToolActivity;
const numbered = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}\n`).join("");

it("shows what a command prints as it comes, line by line, and not twice when it fails", () => {
  const output = open(true);
  expect([output.push(printed("one\ntw")), output.push(printed("o\n"))]).toEqual([["  │ one"], ["  │ two"]]);
  expect(output.settle(failed("one\ntwo\n[exit code 3]"))).toEqual([]);
});

it("shows the last lines of a failed command where nobody saw them come", () => {
  expect(open(false).settle(failed("one\ntwo\n[exit code 3]"))).toEqual(["  │ one", "  │ two"]);
  const lines = open(false).settle(failed(`${numbered(1, 30)}[exit code 3]`));
  expect([lines.length, lines[0], lines[1], lines.at(-1)]).toEqual([11, "  │ …", "  │ line 21", "  │ line 30"]);
});

it("stops showing a flood, and then shows how it ended when it failed", () => {
  const output = open(true);
  const shown = output.push(printed(numbered(1, 500)));
  expect([shown.length, shown.at(-2), shown.at(-1)]).toEqual([21, "  │ line 20", "  │ …"]);
  expect(output.push(printed(numbered(501, 600)))).toEqual([]);
  const tail = output.settle(failed(`${numbered(1, 600)}[exit code 3]`));
  expect([tail.length, tail.at(-1)]).toEqual([10, "  │ line 600"]);
});

it("shows nothing more of a command that succeeded, or of another kind of call", () => {
  const fine = { ...failed("one"), status: "ok" } as ToolActivity;
  const read = { ...failed("one"), kind: "read" } as ToolActivity;
  expect([open(false).settle(fine), open(false).settle(read)]).toEqual([[], []]);
});

it("lets no output steer the terminal", () => {
  expect(open(true).push(printed("a\x1b[2Jb\n"))).toEqual(["  │ ab"]);
});
