import { expect, it } from "vitest";
import { foldersOf, rankPaths } from "./rank-paths.ts";

const paths = [
  "docs/index.md",
  "src/index.ts",
  "src/reindex-all.ts",
  "index/readme.md",
  "src/in-depth/ex.ts",
  "LICENSE",
];

it("prefers the name, then the path, then scattered letters", () => {
  expect(rankPaths(paths, "index", 10)).toEqual([
    "src/index.ts",
    "docs/index.md",
    "src/reindex-all.ts",
    "index/readme.md",
    "src/in-depth/ex.ts",
  ]);
});

it("knows no difference between large and small letters", () => {
  expect(rankPaths(paths, "lic", 10)).toEqual(["LICENSE"]);
});

it("shows the shallow files first while nothing is typed, and no more than asked for", () => {
  expect(rankPaths(paths, " ", 2)).toEqual(["LICENSE", "src/index.ts"]);
});

it("names each folder once, with a slash behind, and finds it by its own name", () => {
  const folders = foldersOf(["a/b/c.ts", "a/b/d.ts", "a/e.ts", "f.ts"]);
  expect([folders.toSorted(), rankPaths([...folders, "x/b.ts"], "b", 3)]).toEqual([
    ["a/", "a/b/"],
    ["a/b/", "x/b.ts"],
  ]);
});
