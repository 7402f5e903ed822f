import { type SpawnOptions, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  closeSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { barSize, isFullRun } from "../testing/bar-size.ts";
import { hasBubblewrap } from "./testing/sandbox-bench.ts";

const here = (name: string): string => fileURLToPath(new URL(`./testing/${name}`, import.meta.url));
const directory = mkdtempSync(join(tmpdir(), "escape-test-"));
const tools = join(directory, "tools");
const isRoot = process.getuid?.() === 0;
/** Nobody in particular: what counts is that the number is not 0. */
const NOBODY = 65_534;
/** The C compiler makes the attempts that need a system call; without it, or without bubblewrap, there is no battery. */
const canTry = hasBubblewrap && spawnSync("cc", ["--version"]).status === 0;
const BAR = 60;
/** Some thousand processes of git, beside other work. */
const LEFT_MS = 1_200_000;

interface Attempted {
  readonly name: string;
  readonly isOptional: boolean;
  readonly without: boolean;
  readonly inside: boolean;
}

beforeAll(() => {
  if (!canTry) return;
  chmodSync(directory, 0o755);
  mkdirSync(tools);
  const program = join(tools, "attempt");
  expect(spawnSync("cc", ["-O1", "-o", program, here("attempt.c"), "-lutil"]).status).toBe(0);
  copyFileSync(program, join(tools, "setuid-attempt"));
  chmodSync(join(tools, "setuid-attempt"), 0o4755);
  writeFileSync(join(directory, "inherited"), "CANARY\n");
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** What is left for later, and run by a person outside. */
async function leaveAll(word: string, user: Pick<SpawnOptions, "uid" | "gid"> = {}): Promise<readonly Attempted[]> {
  // That each attempt works without a sandbox is shown by the full run, and the short one makes all of them as one user.
  const size = isFullRun() ? "full" : user.uid === undefined ? "quick" : "shared";
  const args = [here("left-behind-main.ts"), tools, word, size];
  const child = spawn(process.execPath, args, {
    ...user,
    env: { TMPDIR: "/tmp" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (child.stdout === null) throw new Error("The battery has no output");
  const [printed] = await Promise.all([text(child.stdout), once(child, "exit")]);
  return JSON.parse(printed) as readonly Attempted[];
}

/** Starts the battery with a descriptor and a variable that no agent must come to see. */
async function attemptAll(word: string, user: Pick<SpawnOptions, "uid" | "gid"> = {}): Promise<readonly Attempted[]> {
  const place = mkdtempSync(join(directory, "world-"));
  if (user.uid !== undefined) chownSync(place, user.uid, user.uid);
  const inherited = openSync(join(directory, "inherited"), "r");
  const child = spawn(process.execPath, [here("battery-main.ts"), place, tools, word], {
    ...user,
    env: { SECRET: "CANARY" },
    stdio: ["ignore", "pipe", "inherit", "ignore", "ignore", "ignore", "ignore", inherited],
  });
  closeSync(inherited);
  if (child.stdout === null) throw new Error("The battery has no output");
  const [printed] = await Promise.all([text(child.stdout), once(child, "exit")]);
  return JSON.parse(printed) as readonly Attempted[];
}

const words = ["strict", "on", "proxy"].slice(0, barSize({ quick: 1, full: 3 }));
const users = [
  { who: isRoot ? "root" : "an ordinary user", user: {} },
  ...(isRoot ? [{ who: "an ordinary user", user: { uid: NOBODY, gid: NOBODY } }] : []),
];
const cases = words.flatMap((word) => users.map((user) => ({ ...user, word })));

describe.skipIf(!canTry)("a sandboxed agent", () => {
  it.concurrent.each(cases)("of $who gets through none of the walls of a $word sandbox", async ({ user, word }) => {
    const attempts = await attemptAll(word, user);
    const proven = attempts.filter(({ without }) => without);
    expect(proven.filter(({ inside }) => inside)).toEqual([]);
    // An attempt that fails without a sandbox, too, proves nothing.
    expect(attempts.filter(({ without, isOptional }) => !without && !isOptional)).toEqual([]);
    expect(proven.length).toBeGreaterThanOrEqual(BAR);
  });

  it.concurrent.each(cases.filter(({ word }) => word !== "proxy"))(
    "of $who leaves nothing of a $word sandbox that a person runs who goes on working there",
    async ({ user, word }) => {
      const attempts = await leaveAll(word, user);
      const proven = attempts.filter(({ without }) => without);
      expect(proven.filter(({ inside }) => inside)).toEqual([]);
      expect(attempts.filter(({ without, isOptional }) => !without && !isOptional)).toEqual([]);
      expect(proven.length).toBeGreaterThanOrEqual(word === "strict" ? BAR : BAR / 2);
    },
    LEFT_MS,
  );
});
