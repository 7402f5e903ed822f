import { Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import { terminalTraits } from "./look.ts";

function traits(env: Record<string, string>, terminal: { isTTY?: boolean; columns?: number } = {}) {
  const { columns, ...rest } = terminalTraits({ env, stdout: Object.assign(new Writable(), terminal) });
  return { ...rest, columns: columns() };
}

const window = { isTTY: true, columns: 120 };

describe("terminalTraits", () => {
  it("has colours and a live line in a terminal only", () => {
    expect(traits({}, window)).toEqual({ colours: true, isTty: true, isUtf8: true, columns: 120 });
    expect(traits({})).toEqual({ colours: false, isTty: false, isUtf8: true, columns: 80 });
    expect(traits({ TERM: "dumb" }, window)).toMatchObject({ colours: false, isTty: false });
  });

  it.each([
    [{ NO_COLOR: "1" }, window, false],
    [{ NO_COLOR: "" }, window, true],
    [{ FORCE_COLOR: "0" }, window, false],
    [{ FORCE_COLOR: "false" }, window, false],
    [{ FORCE_COLOR: "1" }, {}, true],
    [{ FORCE_COLOR: "", NO_COLOR: "1" }, {}, true],
  ])("obeys %j", (env, terminal, colours) => {
    expect(traits(env as Record<string, string>, terminal).colours).toBe(colours);
  });

  it.each([
    [{ LANG: "C" }, false],
    [{ LANG: "en_GB.UTF-8" }, true],
    [{ LC_ALL: "POSIX", LANG: "en_GB.utf8" }, false],
    [{ LC_CTYPE: "de_DE.utf8", LANG: "C" }, true],
  ])("reads the locale of %j", (env, isUtf8) => {
    expect(traits(env as Record<string, string>).isUtf8).toBe(isUtf8);
  });
});
