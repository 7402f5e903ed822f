import { describe, expect, it } from "vitest";
import { type FindCursorCliOptions, findCursorCli } from "./find-cursor-cli.ts";

interface Machine {
  readonly platform?: NodeJS.Platform;
  readonly env?: Record<string, string>;
  /** Each program's output when asked for its version. */
  readonly files: Readonly<Record<string, string>>;
}

const LOCAL = "C:\\Users\\me\\AppData\\Local";
const DATE = "2026.10.01-e373342";

function find({ platform = "linux", env = { PATH: "/grok:/usr/bin" }, files }: Machine) {
  const asked: string[] = [];
  const separator = platform === "win32" ? "\\" : "/";
  const options: FindCursorCliOptions = {
    platform,
    env,
    home: "/home/me",
    exists: (path) => Object.hasOwn(files, path),
    listDirectory: (path) => [
      ...new Set(
        Object.keys(files)
          .filter((file) => file.startsWith(path + separator))
          .map((file) => file.slice(path.length + 1).split(separator)[0] ?? ""),
      ),
    ],
    askVersion: async ({ file }) => {
      asked.push(file);
      const printed = files[file] ?? "";
      return { version: printed === DATE ? printed : undefined, printed };
    },
  };
  return findCursorCli(options).then(
    ({ file }) => ({ file, asked }),
    (reason: { code: string; message: string }) => ({ code: reason.code, message: reason.message, asked }),
  );
}

describe("Cursor's CLI among programs of the same name", () => {
  it("is cursor-agent wherever that is, without asking anybody", async () => {
    const files = { "/grok/agent": "grok 0.3.1", "/usr/bin/cursor-agent": "" };
    expect(await find({ files })).toEqual({ file: "/usr/bin/cursor-agent", asked: [] });
  });

  it("is the first agent whose version is a date and a hash", async () => {
    const files = { "/grok/agent": "grok 0.3.1", "/usr/bin/agent": DATE };
    expect(await find({ files })).toEqual({ file: "/usr/bin/agent", asked: ["/grok/agent", "/usr/bin/agent"] });
  });

  it("is found where its installer puts it, although PATH does not name that", async () => {
    const versions = "/home/me/.local/share/cursor-agent/versions";
    const found = {
      link: await find({ files: { "/home/me/.local/bin/agent": DATE, "/grok/agent": "grok" } }),
      version: await find({
        files: { [`${versions}/2026.09.28-a/cursor-agent`]: "", [`${versions}/2026.10.01-b/cursor-agent`]: "" },
      }),
    };
    expect(found).toEqual({
      link: { file: "/home/me/.local/bin/agent", asked: ["/grok/agent", "/home/me/.local/bin/agent"] },
      version: { file: `${versions}/2026.10.01-b/cursor-agent`, asked: [] },
    });
  });

  it("is found on Windows by any of its endings, and where its installer puts it", async () => {
    const version = `${LOCAL}\\cursor-agent\\versions\\${DATE}`;
    const installed = { [`${version}\\node.exe`]: "", [`${version}\\index.js`]: "" };
    const env = { Path: "C:\\grok", LOCALAPPDATA: LOCAL };
    const platform = "win32";
    const found = {
      beyondPath: await find({ platform, env, files: { ...installed, "C:\\grok\\agent.exe": "grok" } }),
      shim: await find({ platform, env, files: { ...installed, "C:\\grok\\cursor-agent.cmd": "" } }),
      program: await find({ platform, env, files: { "C:\\grok\\cursor-agent.exe": "" } }),
    };
    expect(found).toEqual({
      beyondPath: { file: `${version}\\node.exe`, asked: [] },
      shim: { file: `${version}\\node.exe`, asked: [] },
      program: { file: "C:\\grok\\cursor-agent.exe", asked: [] },
    });
  });

  it("is missing when only strangers have the name, and the message says what they are", async () => {
    const files = { "/grok/agent": "grok 0.3.1\nmore", "/usr/bin/agent": "" };
    expect(await find({ files })).toEqual({
      code: "cli-missing",
      message:
        'Found no agent or cursor-agent to start: /grok/agent is not Cursor\'s (its --version prints "grok 0.3.1"); ' +
        "/usr/bin/agent is not Cursor's (its --version prints nothing)",
      asked: ["/grok/agent", "/usr/bin/agent"],
    });
  });

  it("is missing when there is none", async () => {
    expect(await find({ files: {} })).toEqual({
      code: "cli-missing",
      message: "Found no agent or cursor-agent to start",
      asked: [],
    });
  });
});
