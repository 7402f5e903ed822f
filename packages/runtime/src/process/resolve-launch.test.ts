import { describe, expect, it } from "vitest";
import { type ResolveLaunchOptions, resolveLaunch } from "./resolve-launch.ts";

const LOCAL = "C:\\Users\\me\\AppData\\Local";
const VERSIONS = `${LOCAL}\\cursor-agent\\versions`;

function machine(platform: NodeJS.Platform, files: readonly string[], env: Record<string, string>) {
  return (command: ResolveLaunchOptions["command"]) =>
    resolveLaunch({
      platform,
      env,
      command,
      exists: (path) => files.includes(path),
      listDirectory: (path) => [
        ...new Set(
          files
            .filter((file) => file.startsWith(`${path}\\`))
            .map((file) => file.slice(path.length + 1).split("\\")[0] ?? ""),
        ),
      ],
    });
}

describe("finding the program on Windows", () => {
  const installed = [
    `${LOCAL}\\cursor-agent\\agent.cmd`,
    `${VERSIONS}\\2026.09.28-aaa\\node.exe`,
    `${VERSIONS}\\2026.09.28-aaa\\index.js`,
    `${VERSIONS}\\2026.10.02-bbb\\node.exe`,
    `${VERSIONS}\\2026.10.02-bbb\\index.js`,
    `${VERSIONS}\\2026.10.09-ccc\\index.js`,
  ];
  const newest = {
    file: `${VERSIONS}\\2026.10.02-bbb\\node.exe`,
    args: [`${VERSIONS}\\2026.10.02-bbb\\index.js`],
  };
  const env = { Path: `C:\\Windows;${LOCAL}\\cursor-agent`, LOCALAPPDATA: LOCAL };

  it("starts the newest complete version behind the shim, never the shim", () => {
    expect(machine("win32", installed, env)(["agent", "cursor-agent"])).toEqual(newest);
  });

  it("finds the installed version when the shim is not on PATH", () => {
    expect(machine("win32", installed, { LOCALAPPDATA: LOCAL })("cursor-agent")).toEqual(newest);
  });

  it("takes a path to the shim for the version beside it", () => {
    expect(machine("win32", installed, {})(`${LOCAL}\\cursor-agent\\agent.cmd`)).toEqual(newest);
  });

  it("starts a real program as it is", () => {
    const files = ["C:\\tools\\agent.exe", ...installed];
    expect(machine("win32", files, { ...env, Path: "C:\\tools" })("agent")).toEqual({
      file: "C:\\tools\\agent.exe",
      args: [],
    });
  });

  it("says that a shim with nothing behind it is broken", () => {
    const files = ["C:\\tools\\agent.cmd"];
    expect(() => machine("win32", files, { PATH: "C:\\tools" })("agent")).toThrow(
      expect.objectContaining({ code: "cli-broken" }),
    );
  });

  it("says that nothing is installed", () => {
    expect(() => machine("win32", [], env)(["agent"])).toThrow(expect.objectContaining({ code: "cli-missing" }));
    expect(() => machine("win32", installed, {})("other")).toThrow(expect.objectContaining({ code: "cli-missing" }));
  });
});

describe("finding the program elsewhere", () => {
  const onPath = machine("linux", ["/usr/bin/cursor-agent", "/opt/bin/agent", "/usr/bin/agent"], {
    PATH: "/opt/bin::/usr/bin",
  });

  it("takes the first name that is anywhere on PATH", () => {
    expect([onPath(["missing", "cursor-agent", "agent"]), onPath("agent"), onPath("/usr/bin/agent")]).toEqual([
      { file: "/usr/bin/cursor-agent", args: [] },
      { file: "/opt/bin/agent", args: [] },
      { file: "/usr/bin/agent", args: [] },
    ]);
  });

  it("names what it looked for in vain", () => {
    expect(() => onPath(["agent-x", "agent-y"])).toThrow("Found no agent-x or agent-y to start");
  });
});
