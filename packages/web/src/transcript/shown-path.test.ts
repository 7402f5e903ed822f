import { expect, it } from "vitest";
import { pathWithin } from "./tool-words.ts";

it.each([
  ["/home/ada/app/src/a.ts", "/home/ada/app", "src/a.ts"],
  ["/home/ada/app/src/a.ts", "/home/ada/app/", "src/a.ts"],
  ["/home/ada/apple/a.ts", "/home/ada/app", "/home/ada/apple/a.ts"],
  ["/home/ada/app", "/home/ada/app", "/home/ada/app"],
  ["src/a.ts", "/home/ada/app", "src/a.ts"],
  ["/a.ts", undefined, "/a.ts"],
])("shows %s in %s as %s", (path, workspace, shown) => {
  expect(pathWithin(path, workspace)).toBe(shown);
});
