import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { CaretError } from "@caret/protocol";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Profile, resolveProfile } from "./profile.ts";

const key = "key_0123456789";
const uid = process.getuid?.() ?? 0;
let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "caret-profile-"));
});

afterEach(() => {
  rmSync(directory, { recursive: true });
});

function keyFile(text: string, mode = 0o600): string {
  const path = join(directory, "key");
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

function script(text: string): readonly string[] {
  return ["/bin/sh", "-c", text];
}

async function resolve(profile: Profile, overrides: { readonly uid?: number; readonly deadlineMs?: number } = {}) {
  const env = { PATH: "/usr/bin:/bin", VAULT: key };
  const { env: added, configDir } = await resolveProfile({
    name: "work",
    profile,
    env,
    uid,
    platform: "linux",
    ...overrides,
  });
  return { key: added["CURSOR_API_KEY"]?.reveal(), names: Object.keys(added), configDir };
}

/** The error shown to a person if a profile cannot be used. */
async function refusal(profile: Profile, overrides: { readonly uid?: number; readonly deadlineMs?: number } = {}) {
  const reason = await resolve(profile, overrides).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!CaretError.is(reason)) throw new Error("the profile was accepted", { cause: reason });
  expect(inspect(reason, { depth: 9 })).not.toContain(key);
  return {
    code: reason.code,
    message: reason.message.replaceAll(directory, "."),
    fix: reason.fix.replaceAll(directory, "."),
  };
}

describe("resolveProfile", () => {
  it.each([0o600, 0o400])("takes the key from a file of mode %o, without the line's end", async (mode) => {
    expect(await resolve({ apiKeyFile: keyFile(`${key}\n`, mode) })).toEqual({
      key,
      names: ["CURSOR_API_KEY"],
      configDir: undefined,
    });
  });

  it("takes the key from what a command prints, run in the environment it was given", async () => {
    const profile = { apiKeyCommand: script('echo "  $VAULT"; echo noise >&2'), configDir: "/c" };
    expect(await resolve(profile)).toEqual({ key, names: ["CURSOR_API_KEY"], configDir: "/c" });
  });

  it("adds nothing to the environment for a configuration directory", async () => {
    expect(await resolve({ configDir: "/c" })).toEqual({ key: undefined, names: [], configDir: "/c" });
  });

  it("never shows the key by accident", async () => {
    const profile = { apiKeyFile: keyFile(key) };
    const resolved = await resolveProfile({ name: "work", profile, env: {}, uid, platform: "linux" });
    expect([JSON.stringify(resolved), inspect(resolved)].join()).not.toContain(key);
  });

  it.each([0o640, 0o604, 0o620])("refuses a key file of mode %o and says how to close it", async (mode) => {
    expect(await refusal({ apiKeyFile: keyFile(key, mode) })).toEqual({
      code: "invalid-config",
      message: "The key file ./key of the profile work can be read or changed by other users",
      fix: "Close it: chmod 600 './key'",
    });
  });

  it("refuses a key file of another user", async () => {
    expect(await refusal({ apiKeyFile: keyFile(key) }, { uid: uid + 1 })).toEqual({
      code: "invalid-config",
      message: "The key file ./key of the profile work belongs to another user",
      fix: `Take it over: chown ${uid + 1} './key' && chmod 600 './key'`,
    });
  });

  it("looks at the file a link leads to", async () => {
    const link = join(directory, "link");
    symlinkSync(keyFile(key, 0o644), link);
    expect((await refusal({ apiKeyFile: link })).fix).toBe("Close it: chmod 600 './link'");
  });

  it("refuses a missing file, a directory and a pipe, without waiting", async () => {
    const pipe = join(directory, "pipe");
    execFileSync("mkfifo", ["-m", "600", pipe]);
    const messages = [join(directory, "none"), directory, pipe].map(
      async (path) => (await refusal({ apiKeyFile: path })).message,
    );
    expect(await Promise.all(messages)).toEqual([
      "The key file ./none of the profile work does not exist",
      "The key file . of the profile work is not a file with a key in it",
      "The key file ./pipe of the profile work is not a file with a key in it",
    ]);
  });

  it.each([
    ["nothing", "\n"],
    ["something that is not a key", "<html>\nNot found"],
  ])("refuses a file that holds %s", async (found, text) => {
    expect(await refusal({ apiKeyFile: keyFile(text) })).toEqual({
      code: "bad-key",
      message: `The profile work gives ${found}`,
      fix: "Put the API key, and nothing else, where the profile work looks for it.",
    });
  });

  it.each([
    ["ended with code 3", script("echo $VAULT; echo $VAULT >&2; exit 3")],
    ["ended with SIGTERM", script("kill $$")],
    ["printed too much to be a key", script("yes")],
    ["could not be started", ["./no-such-program"]],
    ["could not be started", ["/bin/echo", "\0"]],
  ])("refuses a command that %s", async (fault, apiKeyCommand) => {
    expect(await refusal({ apiKeyCommand })).toEqual({
      code: "not-logged-in",
      message: `The key command ${apiKeyCommand[0]} of the profile work ${fault}`,
      fix: "Run the command of the profile work by hand: it must print the API key without asking anything.",
    });
  });

  it("gives a command no input to wait for", async () => {
    expect(await resolve({ apiKeyCommand: script("cat; echo $VAULT") })).toMatchObject({ key });
  });

  it("ends a command that takes too long, with all it started", async () => {
    const pidFile = join(directory, "pid");
    const apiKeyCommand = script(`sleep 600 & echo $! > ${pidFile}; wait`);
    expect((await refusal({ apiKeyCommand }, { deadlineMs: 500 })).message).toBe(
      "The key command /bin/sh of the profile work did not end within 500 ms",
    );
    await vi.waitFor(() => expect(isRunning(readFileSync(pidFile, "utf8").trim())).toBe(false), { timeout: 5000 });
  });
});

/** An unreaped zombie is not running. */
function isRunning(pid: string): boolean {
  if (!existsSync(`/proc/${pid}/stat`)) return false;
  return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
}
