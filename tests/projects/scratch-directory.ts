import { chmodSync, globSync, mkdtempSync, readFileSync, rmSync, statfsSync, statSync } from "node:fs";
import { join } from "node:path";

const MEMORY = "/dev/shm";
/** What all tests together have on it at once is a twentieth of this. */
const ENOUGH_BYTES = 2 * 1024 ** 3;

/** A run that was killed leaves its directory behind, in memory: longer than any run takes, nobody writes there. */
const LEFT_MS = 6 * 60 * 60 * 1_000;

/**
 * Puts the temporary directories of the tests into memory where the machine has a tmpfs to run programs from: on a disk,
 * creating, syncing and deleting their files takes a quarter of all CPU seconds and most of the waiting. What `TMPDIR` names
 * stays what it is.
 */
export function scratchInMemory(): void {
  if (process.env["TMPDIR"] !== undefined || !isUsable()) return;
  for (const left of globSync(join(MEMORY, "caret-tests-*")))
    if (Date.now() - (statSync(left, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()) > LEFT_MS)
      rmSync(left, { recursive: true, force: true });
  const directory = mkdtempSync(join(MEMORY, "caret-tests-"));
  // As `/tmp` is: some tests work as another user.
  chmodSync(directory, 0o1777);
  process.env["TMPDIR"] = directory;
  process.once("exit", () => rmSync(directory, { recursive: true, force: true }));
}

function isUsable(): boolean {
  if (process.platform !== "linux") return false;
  const [, , type, options = ""] =
    readFileSync("/proc/self/mounts", "utf8")
      .split("\n")
      .map((line) => line.split(" "))
      .findLast(([, path]) => path === MEMORY) ?? [];
  if (type !== "tmpfs" || options.split(",").includes("noexec")) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize >= ENOUGH_BYTES;
}
