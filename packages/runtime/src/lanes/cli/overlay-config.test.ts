import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { writeOverlayConfig } from "./overlay-config.ts";

let directory: string;
let users: string;
let overlay: string;
beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "caret-overlay-")));
  users = join(directory, "users");
  overlay = join(directory, "overlay");
  mkdirSync(join(users, "rules"), { recursive: true });
  writeFileSync(join(users, "mcp.json"), "the user's");
  writeFileSync(join(users, "cli-config.json"), "settings");
  writeFileSync(join(users, "auth.json"), "login");
});
afterEach(() => rmSync(directory, { recursive: true }));

const read = (...path: readonly string[]): string => readFileSync(join(overlay, ...path), "utf8");

describe("a configuration directory over the user's", () => {
  it("has another mcp.json, and leads to all else, also to what the agent makes there", () => {
    writeOverlayConfig(users, overlay, "ours");
    writeFileSync(join(overlay, "chats", "made"), "by the agent");
    writeFileSync(join(overlay, "auth.json"), "renewed");
    expect({
      names: readdirSync(overlay).sort(),
      mcp: read("mcp.json"),
      chat: readFileSync(join(users, "chats", "made"), "utf8"),
      login: readFileSync(join(users, "auth.json"), "utf8"),
      users: readFileSync(join(users, "mcp.json"), "utf8"),
    }).toEqual({
      names: ["acp-sessions", "auth.json", "chats", "cli-config.json", "mcp.json", "projects", "rules"],
      mcp: "ours",
      chat: "by the agent",
      login: "renewed",
      users: "the user's",
    });
  });

  it("keeps for the user what the agent renames over a link, unless the user's own is newer", () => {
    writeOverlayConfig(users, overlay, "ours");
    const replace = (text: string, at: number): void => {
      writeFileSync(join(directory, "draft"), text);
      utimesSync(join(directory, "draft"), at, at);
      renameSync(join(directory, "draft"), join(overlay, "auth.json"));
      writeOverlayConfig(users, overlay, "ours");
    };
    replace("renewed", Date.now() / 1000 + 10);
    expect([read("auth.json"), readFileSync(join(users, "auth.json"), "utf8")]).toEqual(["renewed", "renewed"]);
    replace("stale", 1);
    expect([read("auth.json"), readFileSync(join(users, "auth.json"), "utf8")]).toEqual(["renewed", "renewed"]);
  });

  it("has settings of its own, which begin with the user's in each turn", () => {
    writeOverlayConfig(users, overlay, "ours");
    writeFileSync(join(overlay, "cli-config.json"), "changed");
    const kept = readFileSync(join(users, "cli-config.json"), "utf8");
    writeOverlayConfig(users, overlay, "ours");
    expect([kept, read("cli-config.json")]).toEqual(["settings", "settings"]);
  });

  it("follows what the user adds and removes, and removes nothing of the user's", () => {
    writeOverlayConfig(users, overlay, "ours");
    rmSync(join(users, "rules"), { recursive: true });
    mkdirSync(join(users, "skills"));
    writeFileSync(join(users, "skills", "a"), "kept");
    writeOverlayConfig(users, overlay, "new");
    expect([readdirSync(overlay).includes("rules"), read("skills", "a"), read("mcp.json")]).toEqual([
      false,
      "kept",
      "new",
    ]);
  });
});
