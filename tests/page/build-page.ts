import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const web = join(root, "packages/web");
/** Test files run side by side: one of them builds, the others wait for it. */
const lock = join(tmpdir(), `caret-page-build-${process.getuid?.() ?? 0}`);
const LOCK_MS = 120_000;

/** Builds the page unless what is there is newer than everything it is made of. */
export async function ensurePageIsBuilt(): Promise<void> {
  while (isStale()) {
    if (!takeLock()) {
      await wait(200);
      continue;
    }
    try {
      if (isStale()) build();
    } finally {
      rmSync(lock, { recursive: true, force: true });
    }
  }
}

function build(): void {
  // A process of its own: vitest's NODE_ENV would make it the development build of React.
  const { NODE_ENV: _, ...env } = process.env;
  execFileSync(process.execPath, [join(root, "node_modules/vite/bin/vite.js"), "build", "--logLevel", "error"], {
    cwd: web,
    env,
  });
}

function takeLock(): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch {
    // Somebody builds, or died while building.
    if (Date.now() - changedAt(lock) > LOCK_MS) rmSync(lock, { recursive: true, force: true });
    return false;
  }
}

function isStale(): boolean {
  const sources = ["src", "public", "index.html", "service-worker.js", "vite.config.ts"].map((name) => join(web, name));
  const newest = Math.max(...[...sources, join(root, "packages/protocol/src")].map(newestIn));
  // The compressed twin is written last: a build that was cut short has none.
  return changedAt(join(web, "dist/index.html.br")) < newest;
}

function newestIn(path: string): number {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return 0;
  if (!stats.isDirectory()) return path.includes(".test.") ? 0 : stats.mtimeMs;
  return Math.max(0, ...readdirSync(path).map((name) => newestIn(join(path, name))));
}

function changedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
