import { describe, expect, it } from "vitest";
import { editorFor, setSetting } from "./settings-editors.ts";

function milliseconds(act: () => unknown): number {
  const times = [1, 2].map(() => {
    const start = performance.now();
    act();
    return performance.now() - start;
  });
  return Math.min(...times);
}

const undo = { former: null, depth: 0, blank: null };
const ours = '[mcp_servers.caret]\ncommand = "x"\n';
const shapes: Readonly<Record<string, (count: number) => () => unknown>> = {
  "comments in TOML": (count) => {
    const text = `${ours}${"# a\n".repeat(count)}b = 1\n`;
    return () => editorFor("toml").undo(text, ["mcp_servers", "caret"], undo, {});
  },
  "a string of TOML that looks like comments": (count) => {
    const text = `${ours}note = "${"#".repeat(count * 2)}"\n`;
    return () => editorFor("toml").undo(text, ["mcp_servers", "caret"], undo, {});
  },
  "keys of YAML": (count) => {
    const text = Array.from({ length: count }, (_, index) => `a${index}: 1\n`).join("");
    return () => setSetting("yaml", text, ["mcp", "caret"], { a: "x" });
  },
};

describe("a long file of a client's settings", () => {
  it.each(Object.entries(shapes))("is changed in time that its length bounds: %s", (_, shape) => {
    shape(1_000)();
    const [short, long] = [milliseconds(shape(1_000)), milliseconds(shape(10_000))];
    // Ten times the text: what grows with its square takes a hundred times as long.
    expect(long).toBeLessThan(35 * Math.max(short, 5));
  });

  it("keeps comments of TOML, and takes no part of a string for one", () => {
    const own = `${ours}a = "# b" # c\nd = """\n# e\n""\\"""" # f\ng = '#' # h\ni = '''\n# j''''' # k\nz = 1\n`;
    const left = editorFor("toml").undo(own, ["mcp_servers", "caret"], undo, {});
    expect(left.split("\n").filter((line) => line !== "")).toEqual(["# c", "# f", "# h", "# k"]);
  });

  it("is refused where a map of YAML has two entries of one name", () => {
    expect(() => editorFor("yaml").parse("a: 1\nb:\n  c: 1\n  c: 2\n")).toThrow("it is not YAML");
  });
});
