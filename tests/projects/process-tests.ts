import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Importing one of these, a test or its bench starts processes or threads. */
const starters = /"node:child_process"|new Worker\(|\/(?:create-spawner|process-spawner|compose|run-caret)\.ts"/;
/** Code of tests: what it imports is what the test itself does. */
const support = /\/testing\/|\.contract\.ts$|\.test\.ts$/;
/** These start processes through the code they test. The guard of the unit tests names those that are missing here. */
const hidden = [
  "packages/cli/src/commands/{docs-*,*/*}.test.ts",
  "packages/cli/src/library/*.test.ts",
  "packages/cli/src/serve/*.test.ts",
  "packages/cli/src/doctor/*.test.ts",
  "packages/cli/src/fleet/*.test.ts",
  "packages/opencode-plugin/src/open-code-hosts.test.ts",
  "packages/opencode-plugin/src/shell-tool.test.ts",
  "packages/runtime/src/lanes/api/http-bridge/*.test.ts",
  "packages/simulator/src/mcp/*.test.ts",
  "packages/simulator/src/policy/run-hooks.test.ts",
  "packages/simulator/src/tools/{prepare-call,shell-tool}.test.ts",
];

/** The package tests that start processes, and therefore run in a process of their own. */
export function processTests(root: string): readonly string[] {
  const all = globSync("packages/*/src/**/*.test.ts", { cwd: root });
  return [...new Set([...all.filter((path) => startsProcesses(join(root, path))), ...globSync(hidden, { cwd: root })])];
}

function startsProcesses(path: string, seen = new Set<string>()): boolean {
  if (seen.has(path) || !existsSync(path)) return false;
  seen.add(path);
  const text = readFileSync(path, "utf8");
  if (starters.test(text)) return true;
  const imports = [...text.matchAll(/from "(\.[^"]+)"/g)].map(([, name = ""]) => join(dirname(path), name));
  return imports.some((name) => support.test(name) && startsProcesses(name, seen));
}
