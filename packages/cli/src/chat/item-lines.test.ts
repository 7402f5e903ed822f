import type { TranscriptItem } from "@caret/protocol";
import { visibleWidth } from "@earendil-works/pi-tui";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chooseGlyphs } from "../terminal/glyphs.ts";
import { createTerminalStyle } from "../terminal/look.ts";
import { type ItemLook, itemLines } from "./item-lines.ts";

const plain = (columns: number, isExpanded = false): ItemLook => ({
  style: createTerminalStyle(false),
  glyphs: chooseGlyphs(true),
  columns,
  workspace: "/w",
  isExpanded,
});

const text = (words: string): TranscriptItem => ({ kind: "text", seq: 1, text: words, isOpen: false });

const command = (status: "running" | "ok" | "error", output: string): TranscriptItem => ({
  kind: "tool",
  seq: 1,
  startedAt: 0,
  tool: { callId: "c", name: "exec", kind: "shell", owner: "gateway", input: { command: "make" }, status, output },
});

const numbers = (count: number): string => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join("");

describe("an item of a transcript", () => {
  it("is markdown, broken between words", () => {
    const lines = itemLines(text("# Title\n\nSome **bold** words that do not fit\n\n- one\n- two"), plain(20));
    expect(lines).toEqual(["Title", "", "Some bold words that", "do not fit", "", "- one", "- two"]);
  });

  it("cannot steer the terminal: what an agent quotes loses its escape sequences, and shows its reversals", () => {
    const hostile = "a\u001b]0;owned\u0007b\u001b[2Jc\u009b31md \u202eeman \u001b]8;;http://evil\u001b\\x";
    const items = [
      text(hostile),
      command("error", hostile),
      { kind: "notice", seq: 1, notice: { kind: "error", message: hostile } } as const,
    ];
    const shown = items.flatMap((item) => itemLines(item, plain(80)));
    expect(shown).toEqual([
      "abcd <U+202E>eman x",
      "✗ $ exec make · abcd <U+202E>eman x",
      "  │ abcd <U+202E>eman x",
      "· abcd <U+202E>eman x",
    ]);
  });

  it("shows of a command its newest lines while it runs, more when it failed, and all of them when asked", () => {
    const shown = (item: TranscriptItem, isExpanded = false) => itemLines(item, plain(40, isExpanded)).slice(1);
    expect(shown(command("running", numbers(20)))).toHaveLength(9);
    expect(shown(command("ok", numbers(20)))).toEqual([
      "  │ … 17 more lines: Ctrl-O",
      "  │ line 18",
      "  │ line 19",
      "  │ line 20",
    ]);
    expect(shown(command("error", numbers(20)))).toHaveLength(11);
    expect(shown(command("error", numbers(20)), true)).toHaveLength(20);
  });

  it("shows of an edit the lines that differ", () => {
    const edited: TranscriptItem = {
      kind: "tool",
      seq: 1,
      startedAt: 0,
      tool: {
        ...{ callId: "c", name: "edit", kind: "edit", owner: "gateway", input: { path: "/w/a.js" } },
        ...{ status: "ok", output: "", diff: { path: "/w/a.js", unified: "@@ -1,1 +1,1 @@\n-old\n+new\n" } },
      },
    };
    expect(itemLines(edited, plain(40))).toEqual(["✓ ± edit a.js · +1 −1", "  @@ -1,1 +1,1 @@", "  -old", "  +new"]);
  });

  it("says of the person's own words to a turn whether the agent has them", () => {
    const said = (detail?: object): TranscriptItem => ({
      kind: "notice",
      seq: 1,
      notice: { kind: "steer", message: "hurry", ...(detail && { detail }) },
    });
    expect([itemLines(said(), plain(80)), itemLines(said({ isHeard: true }), plain(80))]).toEqual([
      ["> hurry (sent: the agent gets it with its next result)"],
      ["> hurry"],
    ]);
  });

  it("is never wider than the terminal, whatever is in it", () => {
    const words = fc.string({ unit: "grapheme", maxLength: 200 });
    const width = fc.integer({ min: 10, max: 120 });
    fc.assert(
      fc.property(words, width, fc.boolean(), (said, columns, isExpanded) => {
        const items = [text(said), command("error", said), command("running", said)];
        const lines = items.flatMap((item) => itemLines(item, plain(columns, isExpanded)));
        return lines.every((line) => visibleWidth(line) <= columns);
      }),
      { numRuns: 100 },
    );
  });
});
