import { expect, it } from "vitest";
import { pathWithin } from "./shown-path.ts";

it.each([
  ["/home/mary/app/src/a.ts", "/home/mary/app", "src/a.ts"],
  ["/home/mary/app/src/a.ts", "/home/mary/app/", "src/a.ts"],
  ["/home/mary/apple/a.ts", "/home/mary/app", "/home/mary/apple/a.ts"],
  ["/home/mary/app", "/home/mary/app", "/home/mary/app"],
  ["src/a.ts", "/home/mary/app", "src/a.ts"],
  ["/a.ts", undefined, "/a.ts"],
])("shows %s in %s as %s", (path, workspace, shown) => {
  expect(pathWithin(path, workspace)).toBe(shown);
});
