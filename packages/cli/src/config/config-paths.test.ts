import { describe, expect, it } from "vitest";
import { configPaths } from "./config-paths.ts";

const ada = { flags: {}, env: {}, cwd: "/work/app", home: "/home/ada", platform: "linux" } as const;
const userFile = { path: "/home/ada/.config/caret/caret.json", role: "user" };

describe("configPaths", () => {
  it("looks in the working directory, then in the user's directories", () => {
    expect(configPaths({ ...ada, env: { XDG_CONFIG_HOME: "/xdg" } })).toEqual([
      { path: "/work/app/caret.json", role: "project" },
      { path: "/xdg/caret/caret.json", role: "user" },
      userFile,
    ]);
  });

  it("ignores a relative XDG directory, which would lie in the repository", () => {
    expect(configPaths({ ...ada, env: { XDG_CONFIG_HOME: ".config" } })).toEqual([
      { path: "/work/app/caret.json", role: "project" },
      userFile,
    ]);
  });

  it("looks nowhere else once a file is named, and the flag names it before the variable", () => {
    const env = { CARET_CONFIG: "~/a.json" };
    expect([configPaths({ ...ada, env }), configPaths({ ...ada, env, flags: { config: "b.json" } })]).toEqual([
      [{ path: "/home/ada/a.json", role: "named" }],
      [{ path: "/work/app/b.json", role: "named" }],
    ]);
  });

  it("takes the user's own file for the user's even when standing beside it", () => {
    expect(configPaths({ ...ada, cwd: "/home/ada/.config/caret" })).toEqual([userFile]);
  });

  it("writes Windows paths on Windows", () => {
    const windows = { ...ada, cwd: "C:\\app", home: "C:\\Users\\ada", platform: "win32" } as const;
    expect(configPaths(windows)).toEqual([
      { path: "C:\\app\\caret.json", role: "project" },
      { path: "C:\\Users\\ada\\.config\\caret\\caret.json", role: "user" },
    ]);
  });
});
