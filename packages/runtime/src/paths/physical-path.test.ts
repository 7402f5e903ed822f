import { describe, expect, it } from "vitest";
import { wayInside } from "./physical-path.ts";

describe("whether a path is inside a directory", () => {
  it.each<[path: string, way: string | undefined]>([
    ["/w", ""],
    ["/w/", ""],
    ["/w/a/b", "a/b"],
    ["/w/a/../b", "b"],
    ["/w/..a", "..a"],
    ["/w/...", "..."],
    ["/w/a/../../w/b", "b"],
    ["/w/..", undefined],
    ["/w/../x", undefined],
    ["/w2", undefined],
    ["/", undefined],
  ])("is decided by whole names: %s", (path, way) => {
    expect(wayInside("/w", path)).toBe(way);
  });

  it("is true of everything for the root", () => {
    expect(wayInside("/", "/etc/hosts")).toBe("etc/hosts");
  });
});
