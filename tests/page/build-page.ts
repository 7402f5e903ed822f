import { execFileSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const web = join(root, "packages/web");
export const builtPage = join(web, "dist");

/** Builds the page unless what is there is newer than everything it is made of. */
export function ensurePageIsBuilt(): void {
  if (isStale()) build();
}

function build(): void {
  // A process of its own: vitest's NODE_ENV would make it the development build of React.
  const { NODE_ENV: _, ...env } = process.env;
  execFileSync(process.execPath, [join(root, "node_modules/vite/bin/vite.js"), "build", "--logLevel", "error"], {
    cwd: web,
    env,
  });
}

function isStale(): boolean {
  const sources = ["src", "public", "index.html", "service-worker.js", "vite.config.ts"].map((name) => join(web, name));
  const newest = Math.max(...[...sources, join(root, "packages/protocol/src")].map(newestIn));
  // The compressed twin is written last: a build that was cut short has none.
  return changedAt(join(builtPage, "index.html.br")) < newest;
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
