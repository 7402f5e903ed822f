import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { mcpApprovalId, projectRootOf } from "./mcp-approval.ts";

const server = { command: "uvx", args: ["mcp-server-fetch"] };

describe("the id of an approved MCP server", () => {
  it.each([
    ["a command", "/tmp/work", server, "b3a6127d3cbd8e52"],
    ["a command with variables", "/tmp/work", { ...server, env: { TOKEN: "x" } }, "4c7232835349773b"],
    [
      "a command with a directory",
      "/private/tmp/work",
      { type: "stdio", command: "uvx", args: ["mcp"], cwd: "/tmp/probe" },
      "ba71d2f70913528e",
    ],
    [
      "an address",
      "/private/tmp/work",
      { type: "http", url: "https://mcp.example.com", headers: { Authorization: "Bearer x" } },
      "abc2ffe78532b37e",
    ],
  ])("is the CLI's own for %s", (_name, root, config, digest) => {
    expect(mcpApprovalId("fetch", config, root)).toBe(`fetch-${digest}`);
  });

  it("does not depend on the order of keys or on fields the CLI does not know", () => {
    const same = { note: "mine", args: server.args, command: server.command };
    expect(mcpApprovalId("fetch", same, "/tmp/work")).toBe(mcpApprovalId("fetch", server, "/tmp/work"));
  });

  it("changes with anything that is run", () => {
    expect(mcpApprovalId("fetch", { ...server, args: ["evil"] }, "/tmp/work")).not.toBe(
      mcpApprovalId("fetch", server, "/tmp/work"),
    );
  });

  it("belongs to the nearest repository, or else to the directory", () => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), "caret-test-")));
    mkdirSync(join(root, "repo", ".git"), { recursive: true });
    mkdirSync(join(root, "repo", "deep", "down"), { recursive: true });
    mkdirSync(join(root, "plain"));
    expect([projectRootOf(join(root, "repo", "deep", "down")), projectRootOf(join(root, "plain"))]).toEqual([
      join(root, "repo"),
      join(root, "plain"),
    ]);
    rmSync(root, { recursive: true });
  });
});
