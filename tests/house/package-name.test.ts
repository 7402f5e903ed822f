import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "./lint-planted.ts";

/** What npm calls `caret` belongs to a stranger: ours is `caret-gateway`, and only a checkout has a command of the bare name for `npx`. */
const fetchesAStranger = new RegExp(
  [
    /\b(?:npx|bunx|pnpx)(?:[", ]+-[\w-]+)*[", ]+caret(?![\w-])/,
    /\b(?:npm|pnpm|yarn|bun)[", ]+(?:install|add|exec|dlx|i|x)(?:[", ]+-[\w-]+)*[", ]+caret(?![\w-])/,
    /\b(?:from|import|require\()[ "']+caret(?=["'/])/,
  ]
    .map(({ source }) => source)
    .join("|"),
);

/** Where a bare `npx caret` is right, with the words that say so on the page itself. */
const inCheckout = {
  "AGENTS.md": "# Working on Caret",
  "README.md": "elsewhere never, since npm's own `caret` is a stranger's package",
  "docs/first-steps.md": "Run them in this checkout",
  "packages/cli/src/host/program.ts": "only where npx finds this program, is called `npx caret`",
  "tests/clients/gateway-process.ts":
    "tests work in directories of their own, where `npx caret` would run a stranger's package",
} as const;

it("lets nobody fetch the package that npm calls caret: no document, recipe or message names it", () => {
  const files = execFileSync(
    "git",
    ["ls-files", "-z", "*.md", "*.ts", "*.tsx", "*.js", "*.json", "Containerfile", ".ci"],
    {
      cwd: root,
      encoding: "utf8",
    },
  )
    .split("\0")
    .filter((path) => path !== "" && !/\.test\.tsx?$|\/testing\/|^package-lock\.json$/.test(path));
  const read = (path: string): string => readFileSync(join(root, path), "utf8");
  expect(files.filter((path) => fetchesAStranger.test(read(path)))).toEqual(Object.keys(inCheckout));
  expect(Object.entries(inCheckout).filter(([path, words]) => !read(path).includes(words))).toEqual([]);
});

it.each([
  "npx caret run",
  "`npx -y caret mcp`",
  '"npx", "caret"',
  "npm install --global caret",
  'import { createCaret } from "caret";',
])("sees %s", (text) => {
  expect(fetchesAStranger.test(text)).toBe(true);
});

it.each([
  "npx caret-gateway serve",
  "npx caret-sim-agent",
  "npm install --global caret-gateway",
  'from "caret-gateway"',
])("passes %s", (text) => {
  expect(fetchesAStranger.test(text)).toBe(false);
});
