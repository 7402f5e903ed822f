import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { workspaceHash } from "../paths/physical-path.ts";
import { configDirs, workspaceSlug } from "./chat-exists.ts";

describe("configDirs", () => {
  it("puts what the environment names before the home directory", () => {
    const env = { CURSOR_CONFIG_DIR: "/own/", XDG_CONFIG_HOME: "/xdg" };
    expect(configDirs({ env, home: "/home/me" })).toEqual(["/own", "/xdg/cursor", "/home/me/.cursor"]);
  });

  it("ignores empty variables and names no directory twice", () => {
    const env = { CURSOR_CONFIG_DIR: "", XDG_CONFIG_HOME: "" };
    expect(configDirs({ env, home: "/home/me" })).toEqual(["/home/me/.cursor"]);
    expect(configDirs({ env: { CURSOR_CONFIG_DIR: "/home/me/.cursor" }, home: "/home/me" })).toEqual([
      "/home/me/.cursor",
    ]);
  });
});

describe("a workspace that no longer exists", () => {
  it("still has the hash and the slug of its path", () => {
    const md5 = createHash("md5").update("/no/such.place/x_y").digest("hex");
    expect([workspaceHash("/no/such.place/x_y/"), workspaceSlug("/no/such.place/x_y/")]).toEqual([
      md5,
      "no-such-place-x-y",
    ]);
  });
});
