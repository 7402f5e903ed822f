import { describe, expect, it } from "vitest";
import { parseModelList } from "./parse-model-list.ts";

const plain = { isCurrent: false, isDefault: false };

describe("parseModelList", () => {
  it("reads ids and names, and skips the heading, blank lines and the tip", () => {
    const text =
      "Available models\n\nauto - Auto\nswift-2 - Swift 2\r\n\nTip: pass --model <id> - or /model - to switch.\n";
    expect(parseModelList(text)).toEqual([
      { id: "auto", name: "Auto", ...plain },
      { id: "swift-2", name: "Swift 2", ...plain },
    ]);
  });

  it("ignores colours and keeps one entry of a model that is printed twice", () => {
    const text = "\x1b[32mauto - Auto (current)\x1b[0m\nTip: something\nauto - Auto\n";
    expect(parseModelList(text)).toEqual([{ id: "auto", name: "Auto", isCurrent: true, isDefault: false }]);
  });

  it("takes out characters without width and doubled blanks, before and after the marks", () => {
    const text =
      "grok-4.7-high-fast - Grok 4.7  High Fast\u200b\u200b (default)\nx-1 - X One (current)\u200b\ny-2 - (default)\n";
    expect(parseModelList(text)).toEqual([
      { id: "grok-4.7-high-fast", name: "Grok 4.7 High Fast", isCurrent: false, isDefault: true },
      { id: "x-1", name: "X One", isCurrent: true, isDefault: false },
      { id: "y-2", name: "y-2", isCurrent: false, isDefault: true },
    ]);
  });

  it("keeps parentheses that belong to the name", () => {
    expect(parseModelList("tale-5-low - Tale 5 1M Low (NO ZDR)\nx - X (beta) (default)")).toEqual([
      { id: "tale-5-low", name: "Tale 5 1M Low (NO ZDR)", ...plain },
      { id: "x", name: "X (beta)", isCurrent: false, isDefault: true },
    ]);
  });

  it.each(["(current, default)", "(current) (default)", "(default, current)", "(Default) (Current)"])(
    "reads both marks out of %s",
    (marks) => {
      expect(parseModelList(`swift - Swift ${marks}`)).toEqual([
        { id: "swift", name: "Swift", isCurrent: true, isDefault: true },
      ]);
    },
  );

  it("reads a name with many marks in time that its length bounds", () => {
    const milliseconds = (marks: number): number => {
      const start = performance.now();
      const [model] = parseModelList(`x - X ${"(current) ".repeat(marks)}`);
      expect(model).toEqual({ id: "x", name: "X", isCurrent: true, isDefault: false });
      return performance.now() - start;
    };
    milliseconds(1_000);
    const [short, long] = [milliseconds(1_000), milliseconds(10_000)];
    // Ten times the marks: what grows with their square takes a hundred times as long.
    expect(long).toBeLessThan(35 * Math.max(short, 3));
  });

  it("sees through a spinner that moves the cursor instead of starting a new line", () => {
    const text = "\x1b[2K\x1b[GLoading models…\n\x1b[2K\x1b[1A\x1b[2K\x1b[GAvailable models\n\nauto - Auto\x1b[K\n";
    const sameLine = "Loading models…\x1b[2K\x1b[Gauto - Auto";
    const carriageReturn = "Loading models…\rauto - Auto";
    const expected = [{ id: "auto", name: "Auto", ...plain }];
    expect([text, sameLine, carriageReturn].map(parseModelList)).toEqual([expected, expected, expected]);
  });

  it("splits at the first separator only", () => {
    expect(parseModelList("swift-2 - Swift - second edition")).toEqual([
      { id: "swift-2", name: "Swift - second edition", ...plain },
    ]);
  });

  it("finds nothing in a sentence, an error or an empty output", () => {
    expect(parseModelList("No models available for this account.\nError: Authentication required - log in\n")).toEqual(
      [],
    );
    expect(parseModelList("")).toEqual([]);
  });
});
