import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { approvalId, projectRootOf, projectSlug } from "./approvals.ts";

describe("approvalId", () => {
  it.each([
    ["fetch-b3a6127d3cbd8e52", "/tmp/work", { command: "uvx", args: ["mcp-server-fetch"] }],
    ["fetch-4c7232835349773b", "/tmp/work", { command: "uvx", args: ["mcp-server-fetch"], env: { TOKEN: "x" } }],
    [
      "fetch-ba71d2f70913528e",
      "/private/tmp/work",
      { type: "stdio", command: "uvx", args: ["mcp"], cwd: "/tmp/probe" },
    ],
    [
      "fetch-abc2ffe78532b37e",
      "/private/tmp/work",
      { type: "http", url: "https://mcp.example.com", headers: { Authorization: "Bearer x" } },
    ],
  ])("is %s, as the agent computes it", (id, projectRoot, server) => {
    expect(approvalId("fetch", server, projectRoot)).toBe(id);
  });

  it("does not depend on the order of the file nor on fields nobody knows", () => {
    const plain = approvalId("a", { command: "uvx", args: ["x"], env: { B: "1" } }, "/p");
    expect(approvalId("a", { env: { B: "1" }, note: "mine", args: ["x"], command: "uvx" }, "/p")).toBe(plain);
  });

  it("depends on what runs and where, ampersands included", () => {
    const ids = [
      approvalId("a", { command: "uvx" }, "/p"),
      approvalId("a", { command: "uvx" }, "/q"),
      approvalId("a", { url: "https://h/?a=1&b=2" }, "/p"),
      approvalId("a", { url: "https://h/?a=1\\u0026b=2" }, "/p"),
    ];
    expect(new Set(ids).size).toBe(4);
  });
});

describe("the project of a workspace", () => {
  function directory(): string {
    const root = realpathSync(mkdtempSync(join(tmpdir(), "project-")));
    onTestFinished(() => rmSync(root, { recursive: true }));
    mkdirSync(join(root, "inner", "deep"), { recursive: true });
    return root;
  }

  it("begins at the nearest repository, else at the workspace", () => {
    const root = directory();
    const deep = join(root, "inner", "deep");
    expect(projectRootOf(deep)).toBe(deep);
    mkdirSync(join(root, ".git"));
    expect(projectRootOf(deep)).toBe(root);
  });

  it("is kept under its path with dashes", () => {
    const root = directory();
    expect(projectSlug(`${root}/`)).toBe(root.slice(1).replaceAll(/[^a-zA-Z0-9]+/g, "-"));
  });
});
