import { describe, expect, it } from "vitest";
import { childEnvironment } from "./child-environment.ts";

describe("the environment of a child", () => {
  it("holds the chosen names of ours and nothing else", () => {
    const parent = {
      PATH: "/bin",
      HOME: "/home/me",
      LC_ALL: "C",
      XDG_CONFIG_HOME: "/c",
      https_proxy: "http://proxy",
      CURSOR_API_KEY: "key",
      AWS_SECRET_ACCESS_KEY: "secret",
      CARET_TOKEN: "secret",
      NODE_OPTIONS: "--require evil",
      LD_PRELOAD: "evil.so",
      BASH_ENV: "evil.sh",
      LANG: undefined,
    };
    expect(childEnvironment({ parent })).toEqual({
      PATH: "/bin",
      HOME: "/home/me",
      LC_ALL: "C",
      XDG_CONFIG_HOME: "/c",
      https_proxy: "http://proxy",
      CURSOR_API_KEY: "key",
    });
  });

  it.each(["", " "])("has no key when the key is %j, which the CLI would take for one", (key) => {
    expect(childEnvironment({ parent: { CURSOR_API_KEY: key } })).toEqual({});
    expect(childEnvironment({ parent: {}, set: { CURSOR_API_KEY: key } })).toEqual({});
  });

  it("lets more through when asked, but never what makes any program run other code", () => {
    const parent = { MY_A: "1", MY_B: "2", OTHER: "3", NODE_OPTIONS: "x", LD_LIBRARY_PATH: "y" };
    expect(childEnvironment({ parent, allow: ["MY_*", "NODE_OPTIONS", "LD_*"] })).toEqual({ MY_A: "1", MY_B: "2" });
  });

  it("is set on purpose over the parent's, and undefined removes", () => {
    expect(
      childEnvironment({ parent: { HOME: "/a", USER: "u" }, set: { HOME: "/b", USER: undefined, NEW: "n" } }),
    ).toEqual({ HOME: "/b", NEW: "n" });
  });
});
